//! An experiment as one document, for programs.

mod builds;
mod pilot;

use std::collections::BTreeMap;

use builds::BuildView;
use pilot::PilotView;
use proofmark_evidence::record::{Benchmark, Design, Stdin};
use proofmark_evidence::{PrivateParts, Recorded};
use proofmark_terms::Reading;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::comparison::json::ConclusionView;
use crate::document::words::{
    HeapView, LayoutsView, MetricView, QuestionWord, StateWord, Text, WarningView,
};
use crate::document::{Document, enveloped};
use crate::method::{blocks, warnings};
use crate::null::json::NullView;
use crate::number::rfc3339;

/// An experiment for programs. Raw samples are left to CSV.
#[must_use]
pub fn json(recorded: &Recorded) -> Value {
    enveloped(&ExperimentDocument::of(recorded))
}

/// A recorded experiment of proofmark: two or more builds compared over layouts, or a build
/// compared with itself.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ExperimentDocument {
    /// The experiment's name: BLAKE3 of its first record.
    id: String,
    /// What was asked.
    question: QuestionWord,
    /// Whether it has a conclusion.
    state: StateWord,
    /// When it began, RFC 3339, UTC.
    began: String,
    /// The version of proofmark that began it.
    proofmark: String,
    /// What everything drawn comes from: a number below 2^64, as text, since many programs read
    /// numbers as doubles.
    seed: String,
    /// The builds; the first is the base.
    builds: Vec<BuildView>,
    /// What was run.
    benchmark: BenchmarkView,
    /// When measuring was to stop.
    design: DesignView,
    /// How placement was varied.
    layouts: LayoutsView,
    /// Where the heaps of runs in drawn layouts begin.
    heap: HeapView,
    /// How it was measured, once that was chosen.
    pilot: Option<PilotView>,
    /// Blocks in the store.
    blocks: u32,
    /// What the blocks say; absent while unfinished, and in a null test.
    conclusion: Option<ConclusionView>,
    /// What the blocks of a null test say.
    null: Option<NullView>,
    /// What must be known before the numbers are believed.
    warnings: Vec<WarningView>,
    /// Remarks made after it.
    notes: Vec<NoteView>,
    /// Whether what names persons and places is here: paths, values of variables, names of
    /// machines. Where it is not, `⟨private N⟩` stands in its place.
    private_here: bool,
    /// The machine, fact by fact.
    machine: BTreeMap<String, ReadingView>,
}

/// What was run.
#[derive(Serialize, JsonSchema)]
struct BenchmarkView {
    /// The command; `{}` stands for the image, and `{{}}` for `{}`.
    argv: Vec<Text>,
    /// What was read from each run.
    metric: MetricView,
    /// Variables set beside the common set, as pairs of name and value.
    env: Vec<[Text; 2]>,
    /// Folder in which it ran.
    cwd: Text,
    /// Each run saw a copy of its own in the place of that folder.
    fresh_cwd: bool,
    /// The file that it read; absent where it read nothing.
    stdin: Option<Text>,
    /// A shell command run once before anything was measured.
    setup: Option<String>,
    /// A shell command run before each run.
    prepare: Option<String>,
    /// Unrecorded runs before the first measured one of a block.
    warmup: u32,
    /// Limit of a run, in milliseconds.
    timeout_ms: u64,
    /// A shell command that outputs went through before they were compared.
    output_filter: Option<String>,
}

/// When measuring was to stop.
#[derive(Serialize, JsonSchema)]
struct DesignView {
    /// Relative change below which builds are equivalent.
    margin: f64,
    /// Of all intervals together, 0 to 1.
    confidence: f64,
    /// Fewest blocks before a verdict.
    min_blocks: u32,
    /// Most blocks.
    max_blocks: u32,
    /// Half-width of the interval at which to stop, relative.
    precision: Option<f64>,
    /// Most time to spend, in milliseconds.
    budget_ms: Option<u64>,
}

/// A remark.
#[derive(Serialize, JsonSchema)]
struct NoteView {
    /// RFC 3339, UTC.
    at: String,
    text: String,
}

/// One thing read off the machine: a value, or the reason why there is none.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ReadingView {
    /// As found.
    Known(String),
    /// Not to be had, and why.
    Unavailable(String),
}

impl Document for ExperimentDocument {
    const SCHEMA: &'static str = "experiment";
}

impl ExperimentDocument {
    fn of(recorded: &Recorded) -> Self {
        let experiment = &recorded.experiment;
        let finished = recorded.conclusion.is_some() || recorded.null_conclusion.is_some();
        let machine = experiment
            .machine
            .facts
            .iter()
            .map(|(key, fact)| (key.clone(), fact.into()));
        ExperimentDocument {
            id: recorded.id.as_str().to_owned(),
            question: experiment.question.into(),
            state: if finished {
                StateWord::Finished
            } else {
                StateWord::Unfinished
            },
            began: rfc3339(experiment.began_ms),
            proofmark: experiment.proofmark.clone(),
            seed: experiment.seed.to_string(),
            builds: experiment.builds.iter().map(Into::into).collect(),
            benchmark: (&experiment.benchmark).into(),
            design: (&experiment.design).into(),
            layouts: (&experiment.layouts).into(),
            heap: (&experiment.heap).into(),
            pilot: recorded.pilot.as_ref().map(Into::into),
            blocks: blocks(recorded),
            conclusion: recorded
                .conclusion
                .as_ref()
                .map(|conclusion| ConclusionView::of(recorded, conclusion)),
            null: recorded.null_conclusion.as_ref().map(Into::into),
            warnings: warnings(recorded).iter().map(Into::into).collect(),
            notes: recorded
                .notes
                .iter()
                .map(|note| NoteView {
                    at: rfc3339(note.at_ms),
                    text: note.text.clone(),
                })
                .collect(),
            private_here: recorded.private == PrivateParts::Here,
            machine: machine.collect(),
        }
    }
}

impl From<&Reading> for ReadingView {
    fn from(fact: &Reading) -> Self {
        match fact {
            Reading::Known(value) => ReadingView::Known(value.clone()),
            Reading::Unavailable(reason) => ReadingView::Unavailable(reason.clone()),
        }
    }
}

impl From<&Benchmark> for BenchmarkView {
    fn from(benchmark: &Benchmark) -> Self {
        BenchmarkView {
            argv: benchmark.argv.iter().map(Into::into).collect(),
            metric: (&benchmark.metric).into(),
            env: benchmark
                .env
                .iter()
                .map(|(name, value)| [name.into(), value.into()])
                .collect(),
            cwd: (&benchmark.cwd).into(),
            fresh_cwd: benchmark.fresh_cwd,
            stdin: match &benchmark.stdin {
                Stdin::Null => None,
                Stdin::File(path) => Some(path.into()),
            },
            setup: benchmark.setup.clone(),
            prepare: benchmark.prepare.clone(),
            warmup: benchmark.warmup,
            timeout_ms: benchmark.timeout_ms,
            output_filter: benchmark.output_filter.clone(),
        }
    }
}

impl From<&Design> for DesignView {
    fn from(design: &Design) -> Self {
        DesignView {
            margin: design.margin.relative(),
            confidence: design.confidence,
            min_blocks: design.min_blocks,
            max_blocks: design.max_blocks,
            precision: design.precision,
            budget_ms: design.budget_ms,
        }
    }
}
