//! One change of one metric, on the scale on which it is averaged.

use serde::{Deserialize, Serialize};

/// ln(new ÷ base) of a metric, always this way round. Dimensionless; finite.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Effect(f64);

impl Effect {
    /// No change.
    pub const NONE: Effect = Effect(0.0);

    /// What the arithmetic of doubles may leave of no change, on the scale of ln. A logarithm of a
    /// double is 745 at most, and is off by 1.2e-13 at most; sums and means of them add little to
    /// that.
    pub const ROUNDING: f64 = 1e-12;

    /// From ln(new ÷ base).
    #[must_use]
    pub const fn from_ln(ln: f64) -> Self {
        Effect(ln)
    }

    /// From new ÷ base, a positive number.
    #[must_use]
    pub fn from_ratio(ratio: f64) -> Self {
        Effect(ratio.ln())
    }

    /// ln(new ÷ base).
    #[must_use]
    pub const fn ln(self) -> f64 {
        self.0
    }

    /// new ÷ base; 0.967 means that new takes 3.3 % less.
    #[must_use]
    pub fn ratio(self) -> f64 {
        self.0.exp()
    }

    /// (new − base) ÷ base; −0.033 means that new takes 3.3 % less.
    #[must_use]
    pub fn relative(self) -> f64 {
        self.0.exp_m1()
    }
}
