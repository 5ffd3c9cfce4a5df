//! A step of a bisection: what was judged, and what came of it.

use proofmark_terms::{CommitId, Interval, StateIndex};
use serde::{Deserialize, Serialize};

use crate::ExperimentId;
use crate::private::parts;

/// One commit judged, or the ends compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BisectStep {
    /// From 0, in the order of judgement.
    pub index: u32,
    /// What was judged: a commit by its place among the bisection's, or the ends.
    pub of: StepOf,
    /// What came of it.
    pub outcome: StepOutcome,
    /// How long it took, its builds included, in milliseconds.
    pub took_ms: u64,
}

parts!(BisectStep {
    index: open,
    of: open,
    outcome: inner,
    took_ms: open,
});

/// What a step judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepOf {
    /// The ends against each other.
    Ends,
    /// A commit, by its place.
    Commit(StateIndex),
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum StepOutcome {
    /// The ends were compared.
    Compared {
        /// The experiment.
        experiment: ExperimentId,
        /// The probability of error that it was given, 0 to 1.
        level: f64,
    },
    /// Measured beside both ends.
    Measured {
        /// The experiment.
        experiment: ExperimentId,
        /// The probability of error that it was given, 0 to 1.
        level: f64,
        /// The end that it is like; absent where the blocks did not tell.
        like: Option<End>,
        /// It differs from both, and lies between them.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        between: bool,
        /// The commit ÷ the geometric mean of the ends.
        middle: Interval,
        /// The commit ÷ the older end.
        by_older: Interval,
        /// The commit ÷ the newer end.
        by_newer: Interval,
        /// Blocks that it rests on.
        blocks: u32,
    },
    /// Measured beside its nearest neighbours that are known.
    Beside {
        /// The experiment.
        experiment: ExperimentId,
        /// The probability of error that it was given, 0 to 1.
        level: f64,
        /// The older neighbour.
        older: Neighbour,
        /// The newer neighbour.
        newer: Neighbour,
        /// Blocks that it rests on.
        blocks: u32,
    },
    /// Its program is the one of a build that was judged before.
    SameProgram {
        /// The name of the commit that was built.
        as_commit: CommitId,
        /// The end that it is like.
        like: End,
    },
    /// The script judged.
    Exited {
        /// The exit code.
        code: i32,
        /// The end that it is like; absent where the code says to skip it.
        like: Option<End>,
    },
    /// It cannot be judged.
    Skipped {
        /// In what way.
        why: SkipReason,
        /// What was said.
        said: String,
    },
}

parts!(
    enum StepOutcome {
        Compared {
            experiment: open,
            level: open,
        },
        Measured {
            experiment: open,
            level: open,
            like: open,
            between: open,
            middle: open,
            by_older: open,
            by_newer: open,
            blocks: open,
        },
        Beside {
            experiment: open,
            level: open,
            older: open,
            newer: open,
            blocks: open,
        },
        SameProgram {
            as_commit: open,
            like: open,
        },
        Exited {
            code: open,
            like: open,
        },
        Skipped {
            why: open,
            said: mixed,
        },
    }
);

impl StepOutcome {
    /// The end that the commit is like; `None` where it was not told.
    #[must_use]
    pub fn like(&self) -> Option<End> {
        match self {
            StepOutcome::Compared { .. }
            | StepOutcome::Beside { .. }
            | StepOutcome::Skipped { .. } => None,
            StepOutcome::Measured { like, .. } | StepOutcome::Exited { like, .. } => *like,
            StepOutcome::SameProgram { like, .. } => Some(*like),
        }
    }

    /// The probability of error that it was given; `None` where nothing was measured.
    #[must_use]
    pub fn level(&self) -> Option<f64> {
        match self {
            StepOutcome::Compared { level, .. }
            | StepOutcome::Measured { level, .. }
            | StepOutcome::Beside { level, .. } => Some(*level),
            _ => None,
        }
    }
}

/// A commit ÷ a neighbour of its.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Neighbour {
    /// The neighbour's name.
    pub id: CommitId,
    /// The commit ÷ the neighbour.
    pub interval: Interval,
    /// What the interval says at the margin.
    pub relation: Relation,
}

/// How two builds compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// They differ, and not by less than the margin.
    Differs,
    /// They do not.
    Alike,
    /// That could not be told.
    Unclear,
}

/// One of the ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// The older one, which is called good.
    Older,
    /// The newer one, which is called bad.
    Newer,
}

/// Why a commit cannot be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SkipReason {
    /// It could not be checked out or built.
    NotBuilt,
    /// Its benchmark failed, or printed something else than the ends'.
    Failed,
    /// Its layouts cannot be made beside those of the ends.
    NotLaidOut,
}
