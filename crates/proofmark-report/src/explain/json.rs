//! An explanation for programs: JSON with a schema.

use proofmark_evidence::record::{
    AskedOfSystem, Cause, DifferenceFound, ExplanationBlock, FunctionBetween, FunctionChange,
    PlaceFound, PlaceOf, RunAsked, SampledBy, SampledLayouts, SampledRuns, SimulatedRun,
    SimulatedRuns,
};
use proofmark_evidence::{Recorded, RecordedExplanation};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::figures::{counted, place};
use super::paragraph::{Explained, cause_words, sentences};
use super::rows::notes;
use crate::document::{Document, enveloped};

/// An explanation.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ExplanationDocument {
    /// Its name in the store: 64 hexadecimal digits.
    id: String,
    /// The name of the comparison that it is of.
    comparison: String,
    /// The base's name.
    base: String,
    /// The name of the build that is held against it.
    new: String,
    /// `drawn`, or `as-shipped` where layouts were not varied.
    layouts: &'static str,
    /// Why they were not; null where they were.
    layouts_why: Option<String>,
    /// Runs of each build in a block.
    runs: u32,
    /// Why runs could not be sampled; null where they could.
    unsampled: Option<String>,
    /// What traced runs asked of the system; null where they could not be traced.
    asked: Option<AskedEntry>,
    /// Why they could not; null where they could.
    untraced: Option<String>,
    /// One run of each build's own image in a model of caches and branches, which is no
    /// measurement; null where there was none.
    simulated: Option<SimulatedEntry>,
    /// Why there was none; null where there was.
    unsimulated: Option<String>,
    /// The conclusion; null of an explanation that was interrupted.
    conclusion: Option<ConclusionEntry>,
    /// Every block, in the order of measurement.
    blocks: Vec<BlockEntry>,
    /// What a reader must know, in words.
    notes: Vec<String>,
}

/// What two traced runs of each build asked of the system.
#[derive(Serialize, JsonSchema)]
struct AskedEntry {
    /// Of the base.
    base: Vec<RunEntry>,
    /// Of the build.
    new: Vec<RunEntry>,
    /// What a call that does next to nothing costs on the machine, in nanoseconds; null where that
    /// was not measured.
    call_ns: Option<u64>,
}

/// One run of each build in a model of caches and branches.
#[derive(Serialize, JsonSchema)]
struct SimulatedEntry {
    /// The caches of the model, in words: instructions, data, the last level.
    caches: [String; 3],
    /// Of the base.
    base: MissesEntry,
    /// Of the build.
    new: MissesEntry,
}

/// What a model counts of one run.
#[derive(Serialize, JsonSchema)]
struct MissesEntry {
    /// Instructions.
    instructions: u64,
    /// Reads of instructions that the first level did not hold.
    i1: u64,
    /// Accesses of data that the first level did not hold.
    d1: u64,
    /// Reads of instructions that the last level did not hold either.
    ll_instructions: u64,
    /// Accesses of data that the last level did not hold either.
    ll_data: u64,
    /// Branches that were not foreseen.
    branches: u64,
}

impl From<&SimulatedRun> for MissesEntry {
    fn from(run: &SimulatedRun) -> Self {
        MissesEntry {
            instructions: run.instructions,
            i1: run.i1,
            d1: run.d1,
            ll_instructions: run.ll_instructions,
            ll_data: run.ll_data,
            branches: run.branches,
        }
    }
}

/// What one run asked of the system.
#[derive(Serialize, JsonSchema)]
struct RunEntry {
    /// System calls.
    calls: u64,
    /// By name; not all of them.
    by_name: Vec<CallEntry>,
    /// Bytes read.
    read: u64,
    /// Bytes written.
    written: u64,
    /// Processes that it started.
    processes: u64,
    /// Threads that it started.
    threads: u64,
}

/// A system call.
#[derive(Serialize, JsonSchema)]
struct CallEntry {
    /// The kernel's name.
    name: String,
    /// How often it was made.
    count: u64,
}

/// What was found.
#[derive(Serialize, JsonSchema)]
struct ConclusionEntry {
    /// The first cause: `no-difference`, `placement`, `work`, `system-calls`, `no-longer-inlined`,
    /// `changed-code`, `library`, `page-faults`, `waiting`, `data-cache`, `instruction-cache`,
    /// `branches` or `unexplained`.
    cause: &'static str,
    /// The same in words.
    words: String,
    /// The function that the cause is about; null where it is about none.
    function: Option<String>,
    /// The paragraph: each sentence with its evidence.
    sentences: Vec<SentenceEntry>,
    /// CPU time of sampled runs, new less base, as a share of the base's.
    cpu: Option<DifferenceEntry>,
    /// Their wall time.
    wall: Option<DifferenceEntry>,
    /// What was counted of a run.
    counts: Vec<CountEntry>,
    /// Where the CPU time is.
    places: Vec<PlaceEntry>,
    /// How many of these were held against noise: their intervals hold together.
    compared: u32,
    /// Blocks.
    blocks: u32,
    /// CPU time of a sampled run of the base, in milliseconds.
    base_run_ms: f64,
    /// How long the blocks took, in milliseconds.
    took_ms: u64,
}

/// A sentence of the paragraph.
#[derive(Serialize, JsonSchema)]
struct SentenceEntry {
    /// What it is about.
    about: &'static str,
    /// The sentence.
    words: String,
    /// What it rests on.
    evidence: String,
}

/// A difference with its interval.
#[derive(Serialize, JsonSchema)]
struct DifferenceEntry {
    /// The mean over blocks.
    estimate: f64,
    /// Lower bound.
    low: f64,
    /// Upper bound.
    high: f64,
    /// 0 lies outside of it.
    differs: bool,
}

/// A count.
#[derive(Serialize, JsonSchema)]
struct CountEntry {
    /// What is counted.
    what: &'static str,
    /// Of a run of the base.
    base: f64,
    /// Of a run of the build.
    new: f64,
    /// They differ beyond what runs of one build do.
    differs: bool,
}

/// A place and how much of the time is there.
#[derive(Serialize, JsonSchema)]
struct PlaceEntry {
    /// `function`, `nameless`, `library`, `kernel` or `unknown`.
    kind: &'static str,
    /// As people call it.
    name: String,
    /// The function's symbol; null of all else.
    symbol: Option<String>,
    /// Its share of the base's CPU time.
    base: f64,
    /// Its CPU time in the new build, as a share of the base's CPU time.
    new: f64,
    /// New less base; null of a place that is too small to be held against noise.
    difference: Option<DifferenceEntry>,
    /// How the function's machine code changed; null where it did not.
    code: Option<CodeEntry>,
    /// The source line of which the time differs most; null without line tables.
    line: Option<LineEntry>,
}

/// How the machine code of a function changed.
#[derive(Serialize, JsonSchema)]
struct CodeEntry {
    /// `changed`, `added` or `removed`.
    how: &'static str,
    /// Bytes in the base and in the build.
    bytes: [u64; 2],
    /// Instructions, likewise.
    instructions: [u64; 2],
    /// Calls in its code, likewise.
    calls: [u64; 2],
}

/// A source line.
#[derive(Serialize, JsonSchema)]
struct LineEntry {
    /// The file's name, without its folder.
    file: String,
    /// From 1.
    line: u32,
    /// Its share of the base's CPU time.
    base: f64,
    /// Its CPU time in the new build, as a share of the base's.
    new: f64,
}

/// A block of sampled runs.
#[derive(Serialize, JsonSchema)]
struct BlockEntry {
    /// Runs of the base.
    base: RunsEntry,
    /// Runs of the build.
    new: RunsEntry,
}

/// Sampled runs of one image, added up.
#[derive(Serialize, JsonSchema)]
struct RunsEntry {
    /// `clock`: samples by the kernel's clock; `callgrind`: instructions.
    by: &'static str,
    /// How many runs.
    runs: u32,
    /// CPU time, in nanoseconds.
    cpu_ns: u64,
    /// Wall time, in nanoseconds.
    wall_ns: u64,
    /// Pages that had to be provided.
    page_faults: u64,
    /// Voluntary context switches.
    waits: u64,
    /// Other context switches.
    preempted: u64,
    /// Samples in user space.
    samples: u64,
    /// CPU time from one to the next, in nanoseconds.
    between_ns: u64,
    /// By function.
    functions: Vec<SeenEntry>,
    /// Elsewhere, by file.
    elsewhere: Vec<SeenEntry>,
}

/// Samples in one place.
#[derive(Serialize, JsonSchema)]
struct SeenEntry {
    /// A symbol or a file's name; null where there is none.
    name: Option<String>,
    /// Samples.
    samples: u64,
}

impl Document for ExplanationDocument {
    const SCHEMA: &'static str = "explanation";
}

/// An explanation for programs.
#[must_use]
pub fn json(recorded: &RecordedExplanation, comparison: &Recorded) -> Value {
    let explanation = &recorded.explanation;
    let explained = Explained::of(recorded, comparison);
    let builds = &comparison.experiment.builds;
    let name = |at: usize| {
        builds
            .get(at)
            .map_or_else(String::new, |build| build.name.clone())
    };
    let (asked, untraced) = match &explanation.asked {
        AskedOfSystem::Counted { base, new, call_ns } => {
            let runs = |runs: &[RunAsked; 2]| runs.iter().map(run).collect();
            let entry = AskedEntry {
                base: runs(base),
                new: runs(new),
                call_ns: *call_ns,
            };
            (Some(entry), None)
        }
        AskedOfSystem::Unavailable { reason } => (None, Some(reason.clone())),
    };
    let (simulated, unsimulated) = match &explanation.simulated {
        Some(SimulatedRuns::Counted { caches, base, new }) => {
            let entry = SimulatedEntry {
                caches: caches.clone(),
                base: base.into(),
                new: new.into(),
            };
            (Some(entry), None)
        }
        Some(SimulatedRuns::Unavailable { reason }) => (None, Some(reason.clone())),
        None => (None, Some("nobody asked".to_owned())),
    };
    let (layouts, layouts_why) = match &explanation.layouts {
        SampledLayouts::Drawn => ("drawn", None),
        SampledLayouts::AsShipped { why } => ("as-shipped", Some(why.clone())),
    };
    enveloped(&ExplanationDocument {
        id: recorded.id.to_string(),
        comparison: explanation.comparison.to_string(),
        base: name(0),
        new: name(explanation.build.place()),
        layouts,
        layouts_why,
        runs: explanation.runs,
        unsampled: explanation.unsampled.clone(),
        asked,
        untraced,
        simulated,
        unsimulated,
        conclusion: explained.map(concluded),
        blocks: recorded.blocks.iter().map(block).collect(),
        notes: explained.map(notes).unwrap_or_default(),
    })
}

fn run(asked: &RunAsked) -> RunEntry {
    let call = |(name, count): &(String, u64)| CallEntry {
        name: name.clone(),
        count: *count,
    };
    RunEntry {
        calls: asked.calls,
        by_name: asked.by_name.iter().map(call).collect(),
        read: asked.read,
        written: asked.written,
        processes: asked.processes,
        threads: asked.threads,
    }
}

fn concluded(explained: Explained<'_>) -> ConclusionEntry {
    let found = explained.conclusion;
    let (cause, function) = cause(&found.cause);
    let said = sentences(explained).into_iter().map(|one| SentenceEntry {
        about: one.about,
        words: one.words,
        evidence: one.evidence,
    });
    ConclusionEntry {
        cause,
        words: cause_words(&found.cause),
        function,
        sentences: said.collect(),
        cpu: found.cpu.as_ref().map(difference),
        wall: found.wall.as_ref().map(difference),
        counts: found
            .counts
            .iter()
            .map(|one| CountEntry {
                what: counted(one.what),
                base: one.base,
                new: one.new,
                differs: one.differs,
            })
            .collect(),
        places: found.places.iter().map(place_entry).collect(),
        compared: found.compared,
        blocks: found.blocks,
        base_run_ms: found.base_run_ms,
        took_ms: found.took_ms,
    }
}

fn cause(cause: &Cause) -> (&'static str, Option<String>) {
    match cause {
        Cause::NoDifference => ("no-difference", None),
        Cause::Placement => ("placement", None),
        Cause::Work { function } => ("work", function.clone()),
        Cause::SystemCalls { .. } => ("system-calls", None),
        Cause::NoLongerInlined { function, .. } => ("no-longer-inlined", Some(function.clone())),
        Cause::ChangedCode { function } => ("changed-code", Some(function.clone())),
        Cause::Library { .. } => ("library", None),
        Cause::PageFaults => ("page-faults", None),
        Cause::Waiting => ("waiting", None),
        Cause::DataCache => ("data-cache", None),
        Cause::InstructionCache => ("instruction-cache", None),
        Cause::Branches => ("branches", None),
        Cause::Unexplained { .. } => ("unexplained", None),
    }
}

fn difference(found: &DifferenceFound) -> DifferenceEntry {
    DifferenceEntry {
        estimate: found.estimate,
        low: found.low,
        high: found.high,
        differs: found.differs(),
    }
}

fn place_entry(found: &PlaceFound) -> PlaceEntry {
    let (kind, symbol) = match &found.place {
        PlaceOf::Function { symbol, .. } => ("function", Some(symbol.clone())),
        PlaceOf::Nameless => ("nameless", None),
        PlaceOf::Library { .. } => ("library", None),
        PlaceOf::Kernel => ("kernel", None),
        PlaceOf::Unknown => ("unknown", None),
    };
    PlaceEntry {
        kind,
        name: place(&found.place),
        symbol,
        base: found.base,
        new: found.new,
        difference: found.difference.as_ref().map(difference),
        code: found.code.as_ref().map(code),
        line: found.line.as_ref().map(|line| LineEntry {
            file: line.file.clone(),
            line: line.line,
            base: line.base,
            new: line.new,
        }),
    }
}

fn code(code: &FunctionBetween) -> CodeEntry {
    CodeEntry {
        how: match code.how {
            FunctionChange::Changed => "changed",
            FunctionChange::Added => "added",
            FunctionChange::Removed => "removed",
        },
        bytes: code.bytes,
        instructions: code.instructions,
        calls: code.calls,
    }
}

fn block(block: &ExplanationBlock) -> BlockEntry {
    BlockEntry {
        base: runs(&block.base),
        new: runs(&block.new),
    }
}

fn runs(sampled: &SampledRuns) -> RunsEntry {
    let functions = sampled.functions.iter().map(|one| SeenEntry {
        name: Some(one.symbol.clone()).filter(|symbol| !symbol.is_empty()),
        samples: one.samples,
    });
    let elsewhere = sampled.elsewhere.iter().map(|one| SeenEntry {
        name: one.file.clone(),
        samples: one.samples,
    });
    RunsEntry {
        by: match sampled.by {
            SampledBy::Clock => "clock",
            SampledBy::Callgrind => "callgrind",
        },
        runs: sampled.runs,
        cpu_ns: sampled.cpu_ns,
        wall_ns: sampled.wall_ns,
        page_faults: sampled.page_faults,
        waits: sampled.waits,
        preempted: sampled.preempted,
        samples: sampled.samples,
        between_ns: sampled.between_ns,
        functions: functions.collect(),
        elsewhere: elsewhere.collect(),
    }
}
