//! Whether another way of measuring moves the effect, and what is then done about it.

use crate::Margin;
use crate::moments::Moments;
use crate::quantile::t_two_sided;

/// How far the effect moved from one way of measuring to another (two slice lengths; slices against whole runs).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShiftEstimate {
    /// Effect measured the other way, less the effect measured the reference way, on the scale of ln(new ÷ base).
    pub estimate: f64,
    /// Its standard error.
    pub error: f64,
    /// Half the width of its 95 % interval.
    pub half_width: f64,
}

/// Compares the effects of pilot blocks measured two ways (Welch 1947: the spreads may differ). `None` unless each way has at least two
/// finite effects.
#[must_use]
pub fn shift(reference: &[f64], other: &[f64]) -> Option<ShiftEstimate> {
    let (reference, other) = (Moments::of(reference), Moments::of(other));
    let (a, b) = (
        reference.standard_error()?.powi(2),
        other.standard_error()?.powi(2),
    );
    let error = (a + b).sqrt();
    let freedom = (a + b).powi(2)
        / (a * a / f64::from(reference.count() - 1) + b * b / f64::from(other.count() - 1));
    // Without any spread the degrees of freedom are 0 ÷ 0, and nothing is uncertain.
    let half_width = if error > 0.0 && freedom > 0.0 {
        t_two_sided(0.05, freedom) * error
    } else {
        0.0
    };
    let estimate = other.mean() - reference.mean();
    (estimate.is_finite() && half_width.is_finite()).then_some(ShiftEstimate {
        estimate,
        error,
        half_width,
    })
}

impl ShiftEstimate {
    /// Whether the effect moved by more than a quarter of the margin beyond its error (the 95 % interval of the shift lies outside
    /// ± a quarter of the margin): this way of measuring distorts.
    #[must_use]
    pub fn exceeds(&self, margin: Margin) -> bool {
        self.estimate.abs() - self.half_width > margin.ln() / 4.0
    }

    /// What is left of the shift, for [`crate::Rule::widened`]: √(estimate² − error²), or 0 where the error explains the estimate. The
    /// square of the estimate is on average the square of the true shift plus that of the error, so this is the moment estimate of its size.
    #[must_use]
    pub fn widening(&self) -> f64 {
        (self.estimate.abs() - self.error).max(0.0).sqrt()
            * (self.estimate.abs() + self.error).sqrt()
    }
}
