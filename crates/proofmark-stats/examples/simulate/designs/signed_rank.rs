//! Wilcoxon's signed ranks: the interval is made of the pairwise means (Hodges and Lehmann 1963).

use super::{Design, MAX, calibrate};

pub(crate) struct SignedRank {
    /// Which pairwise mean from each end bounds the interval, by the number of blocks.
    rank: Vec<Option<usize>>,
}

impl SignedRank {
    pub(crate) fn calibrated() -> Self {
        let p_values: Vec<Vec<f64>> = (0..=MAX).map(p_values).collect();
        let level = calibrate(|blocks, _| {
            let mut by_size = blocks.to_vec();
            by_size.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
            let negative: usize = by_size
                .iter()
                .enumerate()
                .filter(|(_, block)| **block < 0.0)
                .map(|(rank, _)| rank + 1)
                .sum();
            let n = blocks.len();
            p_values[n][negative.min(n * (n + 1) / 2 - negative)]
        });
        SignedRank {
            rank: p_values
                .iter()
                .map(|by_sum| by_sum.iter().rposition(|p| *p <= level))
                .collect(),
        }
    }
}

impl Design for SignedRank {
    fn name(&self) -> &'static str {
        "signed ranks"
    }

    fn interval(&self, blocks: &[f64], _sorted: &[f64]) -> Option<(f64, f64)> {
        let rank = self.rank[blocks.len()]?;
        let mut means: Vec<f64> = (0..blocks.len())
            .flat_map(|i| (0..=i).map(move |j| f64::midpoint(blocks[i], blocks[j])))
            .collect();
        let last = means.len() - 1 - rank;
        let low = *means.select_nth_unstable_by(rank, f64::total_cmp).1;
        let high = *means.select_nth_unstable_by(last, f64::total_cmp).1;
        Some((low, high))
    }
}

/// The two-sided p value of each rank sum on the smaller side, by counting all ways.
fn p_values(n: usize) -> Vec<f64> {
    let most = n * (n + 1) / 2;
    let mut ways = vec![0.0; most + 1];
    ways[0] = 1.0;
    for rank in 1..=n {
        for sum in (rank..=most).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    let all = (n as f64).exp2();
    ways.iter()
        .scan(0.0, |below, ways| {
            *below += ways;
            Some((2.0 * *below / all).min(1.0))
        })
        .take(most / 2 + 1)
        .collect()
}
