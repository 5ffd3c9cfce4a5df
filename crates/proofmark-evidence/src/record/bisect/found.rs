//! The answer of a bisection, and what there is to say of the commits that it names.

use proofmark_terms::{CommitId, Interval, StateIndex};
use serde::{Deserialize, Serialize};

use super::super::Rebuilt;
use crate::ExperimentId;
use crate::private::parts;

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
    /// What was found where every change was looked for; absent where one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub survey: Option<SurveyFound>,
    /// How two builds of the older end compare, or of the commit that was found, where only that
    /// comes out different; absent where none was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rebuilt: Option<Rebuilt>,
    /// The commit whose two builds these are; absent where it is the older end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rebuilt_of: Option<CommitId>,
    /// How long all steps took, in milliseconds.
    pub took_ms: u64,
}

parts!(BisectConclusion {
    answer: open,
    ends: open,
    effect: open,
    code: inner,
    files: mixed,
    survey: inner,
    rebuilt: open,
    rebuilt_of: open,
    took_ms: open,
});

/// Every change of a line of commits. Places are those of the bisection's commits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SurveyFound {
    /// The changes, the oldest first.
    pub changes: Vec<ChangeFound>,
    /// Most commits in a row that nobody looked between, for the two around them are alike: a peak
    /// no wider than that may have been missed.
    pub unseen: u32,
    /// Ranges whose ends differ, and in which no step reaches the margin.
    pub gradual: Vec<Stretch>,
    /// Neighbours of which it could not be told whether they differ by more than the margin.
    pub unclear: Vec<Stretch>,
}

parts!(SurveyFound {
    changes: inner,
    unseen: open,
    gradual: open,
    unclear: open,
});

/// Commits from one to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    /// The place of the commit before the first; absent where that is the older end.
    pub after: Option<StateIndex>,
    /// The place of the last one.
    pub to: StateIndex,
}

impl Stretch {
    /// The places of its commits.
    pub fn commits(&self) -> impl DoubleEndedIterator<Item = StateIndex> + use<> {
        let first = self.after.map_or(0, |after| after.0.saturating_add(1));
        (first..=self.to.0).map(StateIndex)
    }
}

/// One change of several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangeFound {
    /// The commit; several where all but the last could not be judged.
    pub at: Stretch,
    /// What it changes, held against the commit before; absent where the benchmark failed then.
    pub effect: Option<EffectFound>,
    /// How the machine code changed at it; absent where it could not be read.
    pub code: Option<CodeFound>,
    /// Files that it touches, as git lists them; none where it is one of several.
    pub files: Vec<String>,
}

parts!(ChangeFound {
    at: open,
    effect: open,
    code: inner,
    files: mixed,
});

/// The answer of a bisection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum BisectAnswer {
    /// This commit, by its place.
    Found {
        /// The place.
        commit: StateIndex,
    },
    /// One of these, by their places; all but the last could not be judged.
    Among {
        /// The places.
        commits: Vec<StateIndex>,
    },
    /// Those of the survey, where every change was looked for.
    Changes,
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
    /// The name of the commit that it was held against: a parent, or the older end.
    pub parent: CommitId,
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
