//! The designs of estimator and stopping that were tried, each with 5 % for all looks of 8 to 60
//! blocks together.

mod mean;
mod median;
mod rising;
mod sequence;
mod signed_rank;
mod trimmed;

use rand::SeedableRng;
use rand::rngs::SmallRng;

use crate::known_truth::Noise;

pub(crate) const MIN: usize = 8;
pub(crate) const MAX: usize = 60;

/// An estimator with its interval.
pub(crate) trait Design {
    fn name(&self) -> &'static str;

    /// The interval after these blocks (8 to 60, sorted in `sorted`); `None` where there is none
    /// yet.
    fn interval(&self, blocks: &[f64], sorted: &[f64]) -> Option<(f64, f64)>;
}

/// All of them; those that have a nominal level had it set so that normal blocks are missed 5 % of
/// the time.
pub(crate) fn all() -> Vec<Box<dyn Design>> {
    vec![
        Box::new(mean::Mean::new()),
        Box::new(rising::Rising::calibrated()),
        Box::new(trimmed::Trimmed::calibrated()),
        Box::new(median::Median::calibrated()),
        Box::new(signed_rank::SignedRank::calibrated()),
        Box::new(sequence::TSequence),
        Box::new(sequence::SymmetricProcess),
    ]
}

/// The level α′ at which 5 % of normal sequences have some p value as small.
fn calibrate(p_value: impl Fn(&[f64], &[f64]) -> f64) -> f64 {
    let mut rng = SmallRng::seed_from_u64(11);
    let mut smallest: Vec<f64> = (0..50_000)
        .map(|_| {
            let mut blocks = [0.0; MAX];
            Noise::Normal.fill(&mut blocks, &mut rng);
            let mut sorted = Sorted::default();
            let mut smallest = f64::INFINITY;
            for n in 1..=MAX {
                sorted.insert(blocks[n - 1]);
                if n >= MIN {
                    smallest = smallest.min(p_value(&blocks[..n], &sorted.values));
                }
            }
            smallest
        })
        .collect();
    smallest.sort_by(f64::total_cmp);
    // Discrete p values come in steps: just below the quantile, so that the 5 % are kept.
    smallest[smallest.len() / 20] * (1.0 - 1e-9)
}

/// Blocks in order of size.
#[derive(Default)]
pub(crate) struct Sorted {
    pub(crate) values: Vec<f64>,
}

impl Sorted {
    pub(crate) fn insert(&mut self, value: f64) {
        let at = self.values.partition_point(|other| *other < value);
        self.values.insert(at, value);
    }
}
