//! What is said of a claim that was held against several baselines.

use serde::{Deserialize, Serialize};

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
