//! What an interval says in one word, given the margin below which nobody cares.

use serde::{Deserialize, Serialize};

use crate::{Effect, Interval};

/// Which way of a metric is an improvement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// Less is better: time, memory, instructions.
    Lower,
    /// More is better: operations per second.
    Higher,
}

/// The relative change below which two builds count as equivalent; 0.01 is ±1 %. Positive and
/// finite.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Margin(f64);

/// ±1 %.
impl Default for Margin {
    fn default() -> Self {
        Margin(0.01)
    }
}

impl Margin {
    /// From a relative change: 0.01 for 1 %. `None` unless 0 < relative < 1.
    #[must_use]
    pub fn from_relative(relative: f64) -> Option<Self> {
        (relative > 0.0 && relative < 1.0).then_some(Margin(relative))
    }

    /// The relative change.
    #[must_use]
    pub const fn relative(self) -> f64 {
        self.0
    }

    /// The half-width of the region of equivalence on the scale of effects, ln(1 + margin): the
    /// region is symmetric there, so that swapping the builds swaps the verdict.
    #[must_use]
    pub fn ln(self) -> f64 {
        self.0.ln_1p()
    }
}

/// What an interval says, given a margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The interval excludes "no change", on the better side.
    Faster,
    /// The interval excludes "no change", on the worse side.
    Slower,
    /// The interval lies inside the margin and includes "no change".
    Equivalent,
    /// Better, and the whole interval lies inside the margin.
    FasterButNegligible,
    /// Worse, and the whole interval lies inside the margin.
    SlowerButNegligible,
    /// None of these can be said yet.
    Undecided,
}

impl Verdict {
    /// Judges an interval. What rounding leaves of no change is none.
    #[must_use]
    pub fn of(interval: &Interval, margin: Margin, better: Better) -> Self {
        let (low, high) = (interval.low.ln(), interval.high.ln());
        let edge = margin.ln() + Effect::ROUNDING;
        let inside = -edge <= low && high <= edge;
        let (less, more) = (high < -Effect::ROUNDING, low > Effect::ROUNDING);
        let (improved, worsened) = match better {
            Better::Lower => (less, more),
            Better::Higher => (more, less),
        };
        match (improved, worsened, inside) {
            (true, _, true) => Verdict::FasterButNegligible,
            (true, _, false) => Verdict::Faster,
            (_, true, true) => Verdict::SlowerButNegligible,
            (_, true, false) => Verdict::Slower,
            (_, _, true) => Verdict::Equivalent,
            _ => Verdict::Undecided,
        }
    }

    /// Whether measuring may stop.
    #[must_use]
    pub fn is_decided(self) -> bool {
        self != Verdict::Undecided
    }
}
