//! A bisection: commits between two ends, one judged after the other.

use proofmark_terms::{Interval, Machine};
use serde::{Deserialize, Serialize};

use super::{Benchmark, Design};
use crate::ExperimentId;
use crate::private::parts;

/// What is fixed before the first commit is judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bisect {
    /// The end that has the older level. It is no candidate.
    pub older: Commit,
    /// The commits that may have changed it, parents before their children; the last one is the
    /// newer end.
    pub commits: Vec<Commit>,
    /// Only first parents were followed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub first_parent: bool,
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
    older: inner,
    commits: inner,
    first_parent: open,
    judge: inner,
    confidence: open,
    machine: inner,
    proofmark: open,
    began_ms: open,
});

/// A commit as its author left it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// Its name, in full.
    pub id: String,
    /// The names of its parents, the first one first.
    pub parents: Vec<String>,
    /// The name of its tree: equal trees have equal names.
    pub tree: String,
    /// Who wrote it.
    pub author: String,
    /// When, as RFC 3339.
    pub date: String,
    /// The first line of its message.
    pub subject: String,
}

parts!(Commit {
    id: open,
    parents: open,
    tree: open,
    author: whole,
    date: open,
    subject: mixed,
});

/// Who says which end a commit is like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Judge {
    /// Blocks of a benchmark, in which the commit runs beside both ends.
    Blocks {
        /// The shell command that builds a commit.
        build: String,
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
            benchmark: inner,
            design: open,
            as_shipped: open,
        },
        Script {
            command: mixed,
        },
    }
);

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
    Commit(u32),
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
    /// Its program is the one of a build that was judged before.
    SameProgram {
        /// The name of the commit that was built.
        as_commit: String,
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
            StepOutcome::Compared { .. } | StepOutcome::Skipped { .. } => None,
            StepOutcome::Measured { like, .. } | StepOutcome::Exited { like, .. } => *like,
            StepOutcome::SameProgram { like, .. } => Some(*like),
        }
    }
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

/// What the steps say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BisectConclusion {
    /// The answer.
    pub answer: BisectAnswer,
    /// The newer end ÷ the older one; absent where a script judged, or the ends are one program.
    pub ends: Option<EndsFound>,
    /// What the commit that was found changes; absent where none was, or where a script judged.
    pub effect: Option<EffectFound>,
    /// How the machine code changed at it; absent where nobody looked.
    pub code: Option<CodeFound>,
    /// Files that it touches, as git lists them: a letter and the path.
    pub files: Vec<String>,
    /// How long all steps took, in milliseconds.
    pub took_ms: u64,
}

parts!(BisectConclusion {
    answer: open,
    ends: open,
    effect: open,
    code: inner,
    files: mixed,
    took_ms: open,
});

/// The answer of a bisection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum BisectAnswer {
    /// This commit, by its place.
    Found {
        /// The place.
        commit: u32,
    },
    /// One of these, by their places; all but the last could not be judged.
    Among {
        /// The places.
        commits: Vec<u32>,
    },
    /// The ends are one program.
    SameProgram,
    /// The ends do not differ over layouts, and not as shipped either.
    NoDifference,
    /// The ends do not differ over layouts, and differ as they were shipped: where the linker put
    /// the code is what differs.
    Placement,
    /// The ends differ, and by less than the margin.
    Negligible,
    /// Whether the ends differ could not be told.
    Undecided,
}

/// How the ends differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EndsFound {
    /// The experiment.
    pub experiment: ExperimentId,
    /// Newer ÷ older: over layouts, or as shipped where those were what was looked for.
    pub interval: Interval,
    /// The same as shipped, where both were measured.
    pub as_shipped: Option<Interval>,
    /// Blocks that it rests on.
    pub blocks: u32,
}

/// What a commit changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EffectFound {
    /// The experiment; that of the ends where they are the same two programs.
    pub experiment: ExperimentId,
    /// The name of the commit that it was held against: the first parent.
    pub parent: String,
    /// The commit ÷ its parent: over layouts, or as shipped where those were what was looked for.
    pub interval: Interval,
    /// The same as shipped, where both were measured.
    pub as_shipped: Option<Interval>,
    /// Blocks that it rests on.
    pub blocks: u32,
}

/// How the machine code of two builds differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeFound {
    /// Functions of the newer build.
    pub functions: u64,
    /// Those with new content and those that are gone; that the benchmark runs first.
    pub changed: Vec<FunctionFound>,
    /// More that changed than are named.
    pub unnamed: u64,
}

parts!(CodeFound {
    functions: open,
    changed: inner,
    unnamed: open,
});

/// A function whose machine code changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionFound {
    /// As people call it.
    pub name: String,
    /// What became of it.
    pub how: FunctionChange,
    /// Bytes in the older build and in the newer one.
    pub bytes: [u64; 2],
    /// Whether the benchmark runs it; absent where that could not be told.
    pub runs: Option<bool>,
}

parts!(FunctionFound {
    name: mixed,
    how: open,
    bytes: open,
    runs: open,
});

/// What became of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FunctionChange {
    /// Other content.
    Changed,
    /// New.
    Added,
    /// Gone.
    Removed,
}
