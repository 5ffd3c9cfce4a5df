//! The steps of a bisection for programs.

use proofmark_evidence::RecordedBisect;
use proofmark_evidence::record::{self, Relation, SkipReason, StepOf, StepOutcome};
use schemars::JsonSchema;
use serde::Serialize;

use super::json_parts::{RatioEntry, ratio};

/// A step.
#[derive(Serialize, JsonSchema)]
pub(super) struct StepEntry {
    /// The commit; null of the ends.
    commit: Option<String>,
    /// `compared`, `measured`, `beside`, `same-program`, `exited` or `skipped`.
    kind: &'static str,
    /// `older` or `newer`; null where it was not told.
    like: Option<&'static str>,
    /// The experiment's name in the store, where something was measured.
    experiment: Option<String>,
    /// The probability of error that it was given, 0 to 1.
    level: Option<f64>,
    /// The commit ÷ the geometric mean of the ends.
    middle: Option<RatioEntry>,
    /// The commit ÷ its older neighbour, where every change was looked for.
    by_older: Option<NeighbourEntry>,
    /// The commit ÷ its newer neighbour, where every change was looked for.
    by_newer: Option<NeighbourEntry>,
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

/// A commit ÷ one that was known before.
#[derive(Serialize, JsonSchema)]
struct NeighbourEntry {
    /// Its name.
    commit: String,
    /// The commit ÷ it.
    ratio: RatioEntry,
    /// `differs`, `alike` or `unclear`, at the margin.
    relation: &'static str,
}

pub(super) fn step(recorded: &RecordedBisect, step: &record::BisectStep) -> StepEntry {
    let commit = match step.of {
        StepOf::Ends => None,
        StepOf::Commit(place) => place.of(&recorded.bisect.commits),
    };
    let mut entry = StepEntry {
        commit: commit.map(|one| one.id.to_string()),
        kind: "compared",
        like: step.outcome.like().map(|end| match end {
            record::End::Older => "older",
            record::End::Newer => "newer",
        }),
        experiment: None,
        level: None,
        middle: None,
        by_older: None,
        by_newer: None,
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
        StepOutcome::Beside {
            experiment,
            level,
            older,
            newer,
            blocks,
        } => {
            entry.kind = "beside";
            entry.experiment = Some(experiment.to_string());
            entry.level = Some(*level);
            entry.by_older = Some(neighbour(older));
            entry.by_newer = Some(neighbour(newer));
            entry.blocks = Some(*blocks);
        }
        StepOutcome::SameProgram { as_commit, .. } => {
            entry.kind = "same-program";
            entry.said = Some(as_commit.to_string());
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

fn neighbour(of: &record::Neighbour) -> NeighbourEntry {
    NeighbourEntry {
        commit: of.id.to_string(),
        ratio: ratio(&of.interval),
        relation: match of.relation {
            Relation::Differs => "differs",
            Relation::Alike => "alike",
            Relation::Unclear => "unclear",
        },
    }
}
