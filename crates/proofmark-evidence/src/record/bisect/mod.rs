//! A bisection: commits between two ends, one judged after the other.

mod found;
mod step;

use proofmark_terms::{Commit, Machine};
use serde::{Deserialize, Serialize};

use super::rebuilt::{is_once, once};
use super::{Benchmark, Design, Vcs};
use crate::private::parts;

pub use found::{
    BisectAnswer, BisectConclusion, ChangeFound, CodeFound, EffectFound, EndsFound, FunctionChange,
    FunctionFound, Stretch, SurveyFound,
};
pub use step::{BisectStep, End, Neighbour, Relation, SkipReason, StepOf, StepOutcome};

/// What is fixed before the first commit is judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bisect {
    /// Along what the states are.
    #[serde(default, skip_serializing_if = "Axis::is_commits")]
    pub axis: Axis,
    /// Who keeps the commits.
    #[serde(default)]
    pub vcs: Vcs,
    /// The end that has the older level. It is no candidate.
    pub older: Commit,
    /// The commits that may have changed it, parents before their children; the last one is the
    /// newer end.
    pub commits: Vec<Commit>,
    /// Only first parents were followed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub first_parent: bool,
    /// Every change was looked for, not one: between two commits that are alike at most so many
    /// were to stay unseen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub survey: Option<u32>,
    /// The toolchain of a project whose own sources these commits are of: each makes a compiler, and
    /// what is measured is one program as that compiles it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toolchain: Option<String>,
    /// Who judges.
    pub judge: Judge,
    /// 0 to 1: that of the whole answer.
    pub confidence: f64,
    /// The machine when it began.
    pub machine: Machine,
    /// The version of proofmark that began it.
    pub proofmark: String,
    /// Milliseconds since 1970-01-01 UTC.
    pub began_ms: u64,
}

parts!(Bisect {
    axis: open,
    vcs: open,
    older: inner,
    commits: inner,
    first_parent: open,
    survey: open,
    toolchain: mixed,
    judge: inner,
    confidence: open,
    machine: inner,
    proofmark: open,
    began_ms: open,
});

/// Along what states are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// Commits of a repository.
    #[default]
    Commits,
    /// Toolchains of a project, in its order, with one source. A state has the name of a toolchain,
    /// a digest of its build for its tree, the toolchain's version for its subject, and neither
    /// author nor date.
    Toolchains,
    /// Sets of flags of a project, likewise; the subject is their words.
    Flags,
}

impl Axis {
    /// Whether states are commits.
    #[must_use]
    pub fn is_commits(&self) -> bool {
        *self == Axis::Commits
    }
}

/// Who says which end a commit is like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Judge {
    /// Blocks of a benchmark, in which the commit runs beside both ends.
    Blocks {
        /// The shell command that builds a commit.
        build: String,
        /// Builds of each commit, of which a block draws one; 1 or more.
        #[serde(default = "once", skip_serializing_if = "is_once")]
        repeat: u32,
        /// What is run.
        benchmark: Box<Benchmark>,
        /// When measuring stops; the level of each step is its own.
        design: Box<Design>,
        /// What was looked for is the difference of the builds as they were shipped.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        as_shipped: bool,
    },
    /// A shell command by its exit code, as `git bisect run` has it.
    Script {
        /// The command.
        command: String,
    },
}

parts!(
    enum Judge {
        Blocks {
            build: mixed,
            repeat: open,
            benchmark: inner,
            design: open,
            as_shipped: open,
        },
        Script {
            command: mixed,
        },
    }
);
