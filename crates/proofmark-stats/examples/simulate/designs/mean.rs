//! Mean of pairs with t: the one that is shipped.

use proofmark_stats::Looks;

use super::Design;

pub(crate) struct Mean(Looks);

impl Mean {
    pub(crate) fn new() -> Self {
        Mean(Looks::new(0.95, 8, 60, 1).expect("a possible design"))
    }
}

impl Design for Mean {
    fn name(&self) -> &'static str {
        "mean with t"
    }

    fn interval(&self, blocks: &[f64], _sorted: &[f64]) -> Option<(f64, f64)> {
        self.0
            .interval(blocks)
            .map(|interval| (interval.low.ln(), interval.high.ln()))
    }
}
