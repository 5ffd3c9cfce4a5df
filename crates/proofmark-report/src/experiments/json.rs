//! Experiments at a glance, for programs.

use proofmark_evidence::{Progress, Summary};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::alone::{AloneView, Listed, views};
use crate::document::words::{MetricView, QuestionWord, Ratio, StateWord, VerdictWord};
use crate::document::{Document, enveloped};
use crate::number::rfc3339;

/// The experiments of a store for programs, each kind in the order in which they were begun.
#[must_use]
pub fn json(listed: &Listed<'_>) -> Value {
    enveloped(&ExperimentsDocument {
        experiments: listed.experiments.iter().map(SummaryView::of).collect(),
        alone: views(listed),
    })
}

/// The experiments of a store, each kind in the order in which they were begun.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ExperimentsDocument {
    /// The experiments.
    experiments: Vec<SummaryView>,
    /// Sweeps, attributions and explanations.
    alone: Vec<AloneView>,
}

/// One experiment.
#[derive(Serialize, JsonSchema)]
struct SummaryView {
    /// Its name.
    id: String,
    /// What was asked.
    question: QuestionWord,
    /// Whether it has a conclusion.
    state: StateWord,
    /// Blocks measured so far, or blocks that the conclusion rests on.
    blocks: u32,
    /// When it began, RFC 3339, UTC.
    began: String,
    /// Names of the builds; the first is the base.
    builds: Vec<String>,
    /// The benchmark's command, for people.
    command: Vec<String>,
    /// What was read from each run.
    metric: MetricView,
    /// What was found.
    verdicts: Vec<VerdictView>,
}

/// What was found of one build.
#[derive(Serialize, JsonSchema)]
struct VerdictView {
    /// Its name.
    build: String,
    /// new ÷ base.
    ratio: Ratio,
    /// What the interval says.
    verdict: VerdictWord,
}

impl Document for ExperimentsDocument {
    const SCHEMA: &'static str = "experiments";
}

impl SummaryView {
    fn of(summary: &Summary) -> Self {
        let (state, blocks) = match summary.state {
            Progress::Unfinished { blocks } => (StateWord::Unfinished, blocks),
            Progress::Finished { blocks, .. } => (StateWord::Finished, blocks),
        };
        let verdicts = summary.verdicts.iter().map(|found| VerdictView {
            build: found.name.clone(),
            ratio: (&found.interval).into(),
            verdict: found.verdict.into(),
        });
        SummaryView {
            id: summary.id.as_str().to_owned(),
            question: summary.question.into(),
            state,
            blocks,
            began: rfc3339(summary.began_ms),
            builds: summary.names.clone(),
            command: summary.command.clone(),
            metric: (&summary.metric).into(),
            verdicts: verdicts.collect(),
        }
    }
}
