//! An estimate with its bounds.

use serde::{Deserialize, Serialize};

use crate::Effect;

/// An estimate of an effect and the bounds that hold with the stated confidence; low ≤ estimate ≤
/// high.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The mean of the blocks' effects.
    pub estimate: Effect,
    /// The lower bound.
    pub low: Effect,
    /// The upper bound.
    pub high: Effect,
}

impl Interval {
    /// An effect that is known and needs no measuring.
    #[must_use]
    pub const fn exactly(effect: Effect) -> Self {
        Interval {
            estimate: effect,
            low: effect,
            high: effect,
        }
    }

    /// Whether `effect` lies inside the closed interval.
    #[must_use]
    pub fn contains(&self, effect: Effect) -> bool {
        self.low <= effect && effect <= self.high
    }

    /// Whether a ratio new ÷ base lies between the bounds, so that it is not known on which side of
    /// it the truth is. One on a bound, but for rounding, does not.
    #[must_use]
    pub fn holds(&self, ratio: f64) -> bool {
        let ln = ratio.ln();
        self.low.ln() + Effect::ROUNDING < ln && ln + Effect::ROUNDING < self.high.ln()
    }

    /// The interval of base ÷ new, where this one is that of new ÷ base.
    #[must_use]
    pub fn inverted(&self) -> Interval {
        let inverse = |effect: Effect| Effect::from_ln(-effect.ln());
        Interval {
            estimate: inverse(self.estimate),
            low: inverse(self.high),
            high: inverse(self.low),
        }
    }

    /// Half the width, on the scale of ln(new ÷ base).
    #[must_use]
    pub fn half_width(&self) -> f64 {
        (self.high.ln() - self.low.ln()) / 2.0
    }

    /// The interval with both bounds moved outwards by `by` ≥ 0 (a bias that is bounded but not
    /// known).
    #[must_use]
    pub fn widened(&self, by: f64) -> Self {
        Interval {
            estimate: self.estimate,
            low: Effect::from_ln(self.low.ln() - by),
            high: Effect::from_ln(self.high.ln() + by),
        }
    }
}
