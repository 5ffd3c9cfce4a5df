//! Baselines that differ from the other baselines: what "faster" against one of them is then owed to.

use proofmark_evidence::record::{Outlier, SuiteEffect};
use proofmark_stats::median;

use super::sheet::Sheet;

impl Sheet<'_> {
    /// Baselines that are beyond the margin of *every* other baseline, all on the same side, each by its interval: with at least three, the
    /// others then stand between them.
    pub(super) fn outliers(&self, suite: &[SuiteEffect]) -> Vec<Outlier> {
        if self.run.baselines.len() < 3 {
            return Vec::new();
        }
        let margin = self.design.margin.ln();
        let found = |&baseline: &u32| {
            let others: Vec<&SuiteEffect> = suite
                .iter()
                .filter(|one| one.cell == baseline && self.run.baselines.contains(&one.baseline))
                .collect();
            let complete = others.len() + 1 == self.run.baselines.len();
            let above = others.iter().all(|one| one.interval.low.ln() > margin);
            let below = others.iter().all(|one| one.interval.high.ln() < -margin);
            let logs: Vec<f64> = others
                .iter()
                .map(|one| one.interval.estimate.ln())
                .collect();
            (complete && (above || below)).then_some(Outlier {
                baseline,
                ratio: median(&logs)?.exp(),
            })
        };
        let all: Vec<Outlier> = self.run.baselines.iter().filter_map(found).collect();
        // Where one lies below all and another above all, neither is the odd one; the further one is, where it is twice as far.
        match all.as_slice() {
            [a, b] => {
                let [near, far] = if a.ratio.ln().abs() < b.ratio.ln().abs() {
                    [a, b]
                } else {
                    [b, a]
                };
                if far.ratio.ln().abs() > 2.0 * near.ratio.ln().abs() {
                    vec![*far]
                } else {
                    Vec::new()
                }
            }
            _ => all,
        }
    }
}
