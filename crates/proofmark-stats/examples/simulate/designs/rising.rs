//! Mean of pairs with t, at a level that rises with the number of blocks: careful while there are
//! few, where t trusts skewed blocks too much.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::{Design, MAX, MIN, calibrate};

pub(crate) struct Rising {
    critical: Vec<f64>,
}

/// α′ is proportional to n to this power.
const POWER: i32 = 1;

impl Rising {
    pub(crate) fn calibrated() -> Self {
        let level = calibrate(|blocks, _| {
            let (mean, error) = estimate(blocks);
            2.0 * t(blocks.len()).sf((mean / error).abs()) / share(blocks.len())
        });
        let critical = |n: usize| t(n).inverse_cdf(1.0 - level * share(n) / 2.0);
        Rising {
            critical: (0..=MAX)
                .map(|n| if n < MIN { f64::NAN } else { critical(n) })
                .collect(),
        }
    }
}

impl Design for Rising {
    fn name(&self) -> &'static str {
        "mean with t, rising level"
    }

    fn interval(&self, blocks: &[f64], _sorted: &[f64]) -> Option<(f64, f64)> {
        let (mean, error) = estimate(blocks);
        let half = self.critical[blocks.len()] * error;
        Some((mean - half, mean + half))
    }
}

fn share(n: usize) -> f64 {
    (n as f64 / MAX as f64).powi(POWER)
}

fn t(n: usize) -> StudentsT {
    StudentsT::new(0.0, 1.0, n as f64 - 1.0).expect("a possible distribution")
}

fn estimate(blocks: &[f64]) -> (f64, f64) {
    let n = blocks.len() as f64;
    let mean = blocks.iter().sum::<f64>() / n;
    let squares: f64 = blocks.iter().map(|block| (block - mean).powi(2)).sum();
    (mean, (squares / (n * (n - 1.0))).sqrt())
}
