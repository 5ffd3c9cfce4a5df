//! A claim held against several baselines: robust when it holds against each.

use serde::{Deserialize, Serialize};

use crate::{Better, Effect, Holds, Interval, Margin};

/// What is claimed of a new build: at least so much better.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AtLeast {
    /// The relative gain, ≥ 0 and finite: 0.05 for 5 %. On the scale of effects it is ln(1 + gain),
    /// to the better side, as in a margin, so that "5 % faster" is a time of 1 ÷ 1.05, and swapping
    /// the builds swaps the claim.
    pub gain: f64,
    /// Which way of the metric is an improvement.
    pub better: Better,
    /// Below it nobody cares: builds whose difference lies inside do not differ, whatever the gain.
    pub margin: Margin,
}

impl AtLeast {
    /// What an interval of new ÷ base says. What rounding leaves of no change is no gain, and what
    /// it takes from a gain that is met exactly is not missing.
    #[must_use]
    pub fn judge(&self, interval: &Interval) -> Holds {
        let (low, high) = (interval.low.ln(), interval.high.ln());
        // The gain that the interval leaves possible: at least, and at most.
        let (least, most) = match self.better {
            Better::Lower => (-high, -low),
            Better::Higher => (low, high),
        };
        let (gain, margin) = (
            self.gain.ln_1p() - Effect::ROUNDING,
            self.margin.ln() + Effect::ROUNDING,
        );
        if least >= gain && least > Effect::ROUNDING {
            Holds::Yes
        } else if most < gain || (least >= -margin && most <= margin) {
            Holds::No
        } else {
            Holds::Open
        }
    }
}
