//! A claim held against several baselines: robust when it holds against each.

use serde::{Deserialize, Serialize};

use crate::effect::ROUNDING;
use crate::{Better, Interval, Margin};

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

/// What an interval says of a claim against one baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Holds {
    /// The whole interval lies at or beyond the gain.
    Yes,
    /// The whole interval lies short of the gain, or inside the margin.
    No,
    /// Neither.
    Open,
}

/// What is said of a claim held against several baselines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// It holds against every baseline.
    Robust,
    /// It holds against some and fails against others.
    BaselineDependent,
    /// It fails against every baseline.
    Refuted,
    /// It fails against some, and what it does against the others the data do not say:
    /// baseline-dependent or refuted.
    NotRobust,
    /// The data do not say.
    Undecided,
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
        let (gain, margin) = (self.gain.ln_1p() - ROUNDING, self.margin.ln() + ROUNDING);
        if least >= gain && least > ROUNDING {
            Holds::Yes
        } else if most < gain || (least >= -margin && most <= margin) {
            Holds::No
        } else {
            Holds::Open
        }
    }
}

impl Standing {
    /// Judges a claim by two sets of intervals, one interval for each baseline in each. That a
    /// claim holds against *every* baseline, or fails against every one, needs no correction for
    /// their number: all of the single statements must be right for it, so that the chance of a
    /// wrong one is at most that of a single statement (an intersection–union test; Berger,
    /// Technometrics 24, 1982). `alone` are intervals of the full level for that. To name the
    /// baselines on which the claim depends, or against which it fails, is several statements, for
    /// which `together` hold at once.
    #[must_use]
    pub fn of(alone: &[Holds], together: &[Holds]) -> Self {
        let every = |what| !alone.is_empty() && alone.iter().all(|&holds| holds == what);
        let some = |what| together.contains(&what);
        if every(Holds::Yes) {
            Standing::Robust
        } else if every(Holds::No) {
            Standing::Refuted
        } else if some(Holds::Yes) && some(Holds::No) {
            Standing::BaselineDependent
        } else if some(Holds::No) {
            Standing::NotRobust
        } else {
            Standing::Undecided
        }
    }

    /// Whether more blocks could not change it but by chance.
    #[must_use]
    pub fn is_decided(self) -> bool {
        !matches!(self, Standing::NotRobust | Standing::Undecided)
    }
}
