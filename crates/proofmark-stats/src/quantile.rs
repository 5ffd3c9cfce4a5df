//! Quantiles and tails of the distributions in use, on the library's functions.

use statrs::distribution::{Beta, ChiSquared, ContinuousCDF, FisherSnedecor, Normal, StudentsT};
use statrs::function::beta::checked_beta_reg;

/// The value that |t| exceeds with probability `alpha`; `freedom` > 0.
pub(crate) fn t_two_sided(alpha: f64, freedom: f64) -> f64 {
    // From the lower tail, where a small level keeps its digits.
    -t_quantile(alpha / 2.0, freedom)
}

/// The value below which t falls with probability `share`.
pub(crate) fn t_quantile(share: f64, freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::NAN, |t| inverse(&t, share))
}

/// The value below which a variable falls with probability `share`; not a number where that is no
/// probability, at which the library panics: it may come from a file.
fn inverse(distribution: &impl ContinuousCDF<f64, f64>, share: f64) -> f64 {
    if (0.0..=1.0).contains(&share) {
        distribution.inverse_cdf(share)
    } else {
        f64::NAN
    }
}

/// The probability that t exceeds `value`.
pub(crate) fn t_above(value: f64, freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::NAN, |t| t.sf(value))
}

/// The probability that F exceeds `value` ≥ 0, infinity included; 1 where it is not a number.
pub(crate) fn f_above(value: f64, above: f64, below: f64) -> f64 {
    // The library's own tail panics where value · above is infinite.
    checked_beta_reg(
        below / 2.0,
        above / 2.0,
        1.0 / (1.0 + value * (above / below)),
    )
    .unwrap_or(1.0)
}

/// The value that a standard normal variable exceeds with probability `share`.
pub(crate) fn normal_exceeded(share: f64) -> f64 {
    // From the lower tail, where a small share keeps its digits.
    -inverse(&Normal::standard(), share)
}

/// The probability that a standard normal variable exceeds `value`.
pub(crate) fn normal_above(value: f64) -> f64 {
    Normal::standard().sf(value)
}

/// The value below which F falls with probability `share`.
pub(crate) fn f_quantile(share: f64, above: f64, below: f64) -> f64 {
    FisherSnedecor::new(above, below).map_or(f64::NAN, |f| inverse(&f, share))
}

/// The value below which χ² falls with probability `share`.
pub(crate) fn chi_squared_quantile(share: f64, freedom: f64) -> f64 {
    ChiSquared::new(freedom).map_or(f64::NAN, |chi| inverse(&chi, share))
}

/// The value below which Beta(a, b) falls with probability `share`.
pub(crate) fn beta_quantile(share: f64, a: f64, b: f64) -> f64 {
    Beta::new(a, b).map_or(f64::NAN, |beta| inverse(&beta, share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_probability_has_no_quantile() {
        assert!((t_two_sided(0.05, 10.0) - 2.228).abs() < 1e-3);
        for share in [-0.1, 1.5, f64::NAN, f64::INFINITY] {
            assert!(t_two_sided(2.0 * share, 3.0).is_nan());
            assert!(normal_exceeded(share).is_nan());
            assert!(f_quantile(share, 1.0, 2.0).is_nan());
            assert!(chi_squared_quantile(share, 2.0).is_nan());
            assert!(beta_quantile(share, 1.0, 2.0).is_nan());
        }
    }
}
