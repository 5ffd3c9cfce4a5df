//! A bisection for programs: JSON with a schema.

use proofmark_evidence::RecordedBisect;
use proofmark_evidence::record::{
    self, BisectAnswer, CodeFound, FunctionChange, Judge, SkipReason, StepOf, StepOutcome,
};
use proofmark_stats::Interval;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::answer::headline;
use crate::document::{Document, enveloped};
use crate::wording::unit;

/// A bisection.
#[derive(Serialize, JsonSchema)]
pub(crate) struct BisectDocument {
    /// Its name in the store: 64 hexadecimal digits.
    id: String,
    /// The answer, in a word: `found`, `among`, `same-program`, `no-difference`, `placement`,
    /// `negligible` or `undecided`; null of a bisection that was interrupted.
    answer: Option<&'static str>,
    /// The answer in words.
    said: Option<String>,
    /// The commits that the answer names: one of `found`, several of `among`, the oldest first.
    commits: Vec<CommitEntry>,
    /// Files that the commit touches: a letter as git has it, and the path.
    files: Vec<String>,
    /// What the commit changes: itself ÷ its parent; null where that was not measured.
    effect: Option<EffectEntry>,
    /// How the machine code of the commit differs from its parent's; null where nobody looked.
    code: Option<CodeEntry>,
    /// The older end.
    older: CommitEntry,
    /// The newer end.
    newer: Option<CommitEntry>,
    /// Commits in the range, the newer end included.
    range: usize,
    /// Only first parents were followed.
    first_parent: bool,
    /// The newer end ÷ the older one; null where a script judged, or the ends are one program.
    ends: Option<EffectEntry>,
    /// The script that judged; null where blocks did.
    script: Option<String>,
    /// What was read from a run; null where a script judged.
    metric: Option<String>,
    /// The metric's unit.
    unit: Option<String>,
    /// What was looked for is the difference as shipped.
    as_shipped: bool,
    /// Asked of the whole answer, 0 to 1.
    confidence: f64,
    /// In the order of judgement.
    steps: Vec<StepEntry>,
    /// How long all steps took, in milliseconds.
    took_ms: Option<u64>,
}

/// A commit.
#[derive(Serialize, JsonSchema)]
struct CommitEntry {
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
struct EffectEntry {
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
struct RatioEntry {
    /// The estimate.
    estimate: f64,
    /// The lower bound.
    low: f64,
    /// The upper bound.
    high: f64,
}

/// Machine code.
#[derive(Serialize, JsonSchema)]
struct CodeEntry {
    /// Functions of the commit's build.
    functions: u64,
    /// Those that changed.
    changed: Vec<FunctionEntry>,
    /// More that changed than are listed.
    unnamed: u64,
}

/// A function whose machine code changed.
#[derive(Serialize, JsonSchema)]
struct FunctionEntry {
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

/// A step.
#[derive(Serialize, JsonSchema)]
struct StepEntry {
    /// The commit; null of the ends.
    commit: Option<String>,
    /// `compared`, `measured`, `same-program`, `exited` or `skipped`.
    kind: &'static str,
    /// `older` or `newer`; null where it was not told.
    like: Option<&'static str>,
    /// The experiment's name in the store, where something was measured.
    experiment: Option<String>,
    /// The probability of error that it was given, 0 to 1.
    level: Option<f64>,
    /// The commit ÷ the geometric mean of the ends.
    middle: Option<RatioEntry>,
    /// It differs from both ends and lies between them.
    between: bool,
    /// Blocks that it rests on.
    blocks: Option<u32>,
    /// The exit code of the script.
    exit_code: Option<i32>,
    /// Why it was skipped: `not-built`, `failed` or `not-laid-out`.
    why: Option<&'static str>,
    /// What was said then.
    said: Option<String>,
    /// How long it took, in milliseconds.
    took_ms: u64,
}

impl Document for BisectDocument {
    const SCHEMA: &'static str = "bisect";
}

/// A bisection for programs.
#[must_use]
pub fn json(recorded: &RecordedBisect) -> Value {
    let bisect = &recorded.bisect;
    let conclusion = recorded.conclusion.as_ref();
    let (script, benchmark, as_shipped) = match &bisect.judge {
        Judge::Script { command } => (Some(command.clone()), None, false),
        Judge::Blocks {
            benchmark,
            as_shipped,
            ..
        } => (None, Some(benchmark), *as_shipped),
    };
    let ends = conclusion.and_then(|one| one.ends.as_ref());
    let effect = conclusion.and_then(|one| one.effect.as_ref());
    enveloped(&BisectDocument {
        id: recorded.id.to_string(),
        answer: conclusion.map(|one| word(&one.answer)),
        said: conclusion.map(|one| crate::text::untied(&headline(recorded, one))),
        commits: conclusion.map_or(Vec::new(), |one| named(recorded, &one.answer)),
        files: conclusion.map_or(Vec::new(), |one| one.files.clone()),
        effect: effect.map(|one| EffectEntry {
            experiment: one.experiment.to_string(),
            against: one.parent.clone(),
            ratio: ratio(&one.interval),
            as_shipped: one.as_shipped.as_ref().map(ratio),
            blocks: one.blocks,
        }),
        code: conclusion.and_then(|one| one.code.as_ref().map(code)),
        older: commit(&bisect.older),
        newer: bisect.commits.last().map(commit),
        range: bisect.commits.len(),
        first_parent: bisect.first_parent,
        ends: ends.map(|one| EffectEntry {
            experiment: one.experiment.to_string(),
            against: bisect.older.id.clone(),
            ratio: ratio(&one.interval),
            as_shipped: one.as_shipped.as_ref().map(ratio),
            blocks: one.blocks,
        }),
        script,
        metric: benchmark.map(|one| one.metric.name().to_owned()),
        unit: benchmark.map(|one| unit(&one.metric).to_owned()),
        as_shipped,
        confidence: bisect.confidence,
        steps: recorded
            .steps
            .iter()
            .map(|one| step(recorded, one))
            .collect(),
        took_ms: conclusion.map(|one| one.took_ms),
    })
}

fn word(answer: &BisectAnswer) -> &'static str {
    match answer {
        BisectAnswer::Found { .. } => "found",
        BisectAnswer::Among { .. } => "among",
        BisectAnswer::SameProgram => "same-program",
        BisectAnswer::NoDifference => "no-difference",
        BisectAnswer::Placement => "placement",
        BisectAnswer::Negligible => "negligible",
        BisectAnswer::Undecided => "undecided",
    }
}

fn named(recorded: &RecordedBisect, answer: &BisectAnswer) -> Vec<CommitEntry> {
    let places: &[u32] = match answer {
        BisectAnswer::Found { commit } => std::slice::from_ref(commit),
        BisectAnswer::Among { commits } => commits,
        _ => &[],
    };
    let commits = &recorded.bisect.commits;
    let found = places
        .iter()
        .filter_map(|&place| commits.get(place as usize));
    found.map(commit).collect()
}

fn commit(of: &record::Commit) -> CommitEntry {
    CommitEntry {
        id: of.id.clone(),
        parents: of.parents.clone(),
        author: of.author.clone(),
        date: of.date.clone(),
        subject: of.subject.clone(),
    }
}

fn ratio(interval: &Interval) -> RatioEntry {
    RatioEntry {
        estimate: interval.estimate.ratio(),
        low: interval.low.ratio(),
        high: interval.high.ratio(),
    }
}

fn code(found: &CodeFound) -> CodeEntry {
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

fn step(recorded: &RecordedBisect, step: &record::BisectStep) -> StepEntry {
    let commit = match step.of {
        StepOf::Ends => None,
        StepOf::Commit(place) => recorded.bisect.commits.get(place as usize),
    };
    let mut entry = StepEntry {
        commit: commit.map(|one| one.id.clone()),
        kind: "compared",
        like: step.outcome.like().map(|end| match end {
            record::End::Older => "older",
            record::End::Newer => "newer",
        }),
        experiment: None,
        level: None,
        middle: None,
        between: false,
        blocks: None,
        exit_code: None,
        why: None,
        said: None,
        took_ms: step.took_ms,
    };
    match &step.outcome {
        StepOutcome::Compared { experiment, level } => {
            entry.experiment = Some(experiment.to_string());
            entry.level = Some(*level);
        }
        StepOutcome::Measured {
            experiment,
            level,
            between,
            middle,
            blocks,
            ..
        } => {
            entry.kind = "measured";
            entry.experiment = Some(experiment.to_string());
            entry.level = Some(*level);
            entry.between = *between;
            entry.middle = Some(ratio(middle));
            entry.blocks = Some(*blocks);
        }
        StepOutcome::SameProgram { as_commit, .. } => {
            entry.kind = "same-program";
            entry.said = Some(as_commit.clone());
        }
        StepOutcome::Exited { code, .. } => {
            entry.kind = "exited";
            entry.exit_code = Some(*code);
        }
        StepOutcome::Skipped { why, said } => {
            entry.kind = "skipped";
            entry.why = Some(match why {
                SkipReason::NotBuilt => "not-built",
                SkipReason::Failed => "failed",
                SkipReason::NotLaidOut => "not-laid-out",
            });
            entry.said = Some(said.clone());
        }
    }
    entry
}
