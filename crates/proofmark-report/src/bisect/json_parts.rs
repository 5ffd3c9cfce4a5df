//! What the documents of bisections have in common: commits, effects, machine code.

use proofmark_evidence::record::{self, CodeFound, FunctionChange};
use proofmark_stats::Interval;
use proofmark_terms::Commit;
use schemars::JsonSchema;
use serde::Serialize;

/// A commit.
#[derive(Serialize, JsonSchema)]
pub(super) struct CommitEntry {
    /// Its name, in full.
    id: String,
    /// The names of its parents.
    parents: Vec<String>,
    /// Who wrote it.
    author: String,
    /// When, as RFC 3339.
    date: String,
    /// The first line of its message.
    subject: String,
}

/// One build ÷ another.
#[derive(Serialize, JsonSchema)]
pub(super) struct EffectEntry {
    /// The experiment's name in the store.
    experiment: String,
    /// The name of the commit that it was held against.
    against: String,
    /// What was looked for: over layouts, or as shipped.
    ratio: RatioEntry,
    /// As shipped, where both were measured.
    as_shipped: Option<RatioEntry>,
    /// Blocks that it rests on.
    blocks: u32,
}

/// A ratio with its bounds.
#[derive(Serialize, JsonSchema)]
pub(super) struct RatioEntry {
    /// The estimate.
    estimate: f64,
    /// The lower bound.
    low: f64,
    /// The upper bound.
    high: f64,
}

/// Machine code.
#[derive(Serialize, JsonSchema)]
pub(super) struct CodeEntry {
    /// Functions of the commit's build.
    functions: u64,
    /// Those that changed.
    changed: Vec<FunctionEntry>,
    /// More that changed than are listed.
    unnamed: u64,
}

/// A function whose machine code changed.
#[derive(Serialize, JsonSchema)]
pub(super) struct FunctionEntry {
    /// As people call it.
    name: String,
    /// `changed`, `added` or `removed`.
    how: &'static str,
    /// Bytes in the parent's build.
    bytes_before: u64,
    /// Bytes in the commit's build.
    bytes_after: u64,
    /// Whether the benchmark runs it; null where that could not be told.
    runs: Option<bool>,
}

pub(super) fn commit(of: &Commit) -> CommitEntry {
    CommitEntry {
        id: of.id.to_string(),
        parents: of.parents.iter().map(ToString::to_string).collect(),
        author: of.author.clone(),
        date: of.date.clone(),
        subject: of.subject.clone(),
    }
}

pub(super) fn of_effect(effect: &record::EffectFound) -> EffectEntry {
    EffectEntry {
        experiment: effect.experiment.to_string(),
        against: effect.parent.to_string(),
        ratio: ratio(&effect.interval),
        as_shipped: effect.as_shipped.as_ref().map(ratio),
        blocks: effect.blocks,
    }
}

/// What differs between the ends, held against the older one.
pub(super) fn of_ends(older: &Commit, ends: &record::EndsFound) -> EffectEntry {
    EffectEntry {
        experiment: ends.experiment.to_string(),
        against: older.id.to_string(),
        ratio: ratio(&ends.interval),
        as_shipped: ends.as_shipped.as_ref().map(ratio),
        blocks: ends.blocks,
    }
}

pub(super) fn ratio(interval: &Interval) -> RatioEntry {
    RatioEntry {
        estimate: interval.estimate.ratio(),
        low: interval.low.ratio(),
        high: interval.high.ratio(),
    }
}

pub(super) fn code(found: &CodeFound) -> CodeEntry {
    let function = |one: &record::FunctionFound| FunctionEntry {
        name: one.name.clone(),
        how: match one.how {
            FunctionChange::Changed => "changed",
            FunctionChange::Added => "added",
            FunctionChange::Removed => "removed",
        },
        bytes_before: one.bytes[0],
        bytes_after: one.bytes[1],
        runs: one.runs,
    };
    CodeEntry {
        functions: found.functions,
        changed: found.changed.iter().map(function).collect(),
        unnamed: found.unnamed,
    }
}
