//! Mean without the lowest and highest fifth, with t of the winsorised variance (Tukey and
//! McLaughlin 1963; Yuen 1974).

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::{Design, MAX, MIN, calibrate};

pub(crate) struct Trimmed {
    critical: Vec<f64>,
}

impl Trimmed {
    pub(crate) fn calibrated() -> Self {
        let level = calibrate(|_, sorted| {
            let (mean, error) = estimate(sorted);
            2.0 * t(sorted.len()).sf((mean / error).abs())
        });
        Trimmed {
            critical: (0..=MAX)
                .map(|n| {
                    if n < MIN {
                        f64::NAN
                    } else {
                        t(n).inverse_cdf(1.0 - level / 2.0)
                    }
                })
                .collect(),
        }
    }
}

impl Design for Trimmed {
    fn name(&self) -> &'static str {
        "trimmed mean"
    }

    fn interval(&self, _blocks: &[f64], sorted: &[f64]) -> Option<(f64, f64)> {
        let (mean, error) = estimate(sorted);
        let half = self.critical[sorted.len()] * error;
        Some((mean - half, mean + half))
    }
}

fn t(n: usize) -> StudentsT {
    StudentsT::new(0.0, 1.0, (n - 2 * (n / 5)) as f64 - 1.0).expect("a possible distribution")
}

/// The mean of the middle three fifths, and its standard error.
fn estimate(sorted: &[f64]) -> (f64, f64) {
    let n = sorted.len();
    let cut = n / 5;
    let (low, high) = (sorted[cut], sorted[n - 1 - cut]);
    let kept = (n - 2 * cut) as f64;
    let mean = sorted[cut..n - cut].iter().sum::<f64>() / kept;
    let winsorised = sorted.iter().map(|value| value.clamp(low, high));
    let middle = winsorised.clone().sum::<f64>() / n as f64;
    let squares: f64 = winsorised.map(|value| (value - middle).powi(2)).sum();
    (mean, (squares / (kept * (kept - 1.0))).sqrt())
}
