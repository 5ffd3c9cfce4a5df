//! Median with the interval of the sign test.

use statrs::distribution::{Binomial, DiscreteCDF};

use super::{Design, MAX, calibrate};

pub(crate) struct Median {
    /// How many blocks from each end the interval begins, by the number of blocks.
    rank: Vec<Option<usize>>,
}

impl Median {
    pub(crate) fn calibrated() -> Self {
        let p_values: Vec<Vec<f64>> = (0..=MAX).map(p_values).collect();
        let level = calibrate(|_, sorted| {
            let below = sorted.partition_point(|value| *value < 0.0);
            p_values[sorted.len()][below.min(sorted.len() - below)]
        });
        Median {
            rank: p_values
                .iter()
                .map(|by_count| by_count.iter().rposition(|p| *p <= level))
                .collect(),
        }
    }
}

impl Design for Median {
    fn name(&self) -> &'static str {
        "median"
    }

    fn interval(&self, _blocks: &[f64], sorted: &[f64]) -> Option<(f64, f64)> {
        let rank = self.rank[sorted.len()]?;
        Some((sorted[rank], sorted[sorted.len() - 1 - rank]))
    }
}

/// The two-sided p value of each count on the rarer side.
fn p_values(n: usize) -> Vec<f64> {
    let signs = Binomial::new(0.5, n as u64).expect("a possible distribution");
    (0..=n / 2)
        .map(|count| (2.0 * signs.cdf(count as u64)).min(1.0))
        .collect()
}
