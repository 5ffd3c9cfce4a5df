//! Blocks of sampled runs, as JSON.

use proofmark_evidence::record::{ExplanationBlock, SampledBy, SampledRuns};
use schemars::JsonSchema;
use serde::Serialize;

/// A block of sampled runs.
#[derive(Serialize, JsonSchema)]
pub(super) struct BlockEntry {
    /// Runs of the base.
    base: RunsEntry,
    /// Runs of the build.
    new: RunsEntry,
    /// Of the base and of the build as shipped, where place makes the difference; null otherwise.
    shipped: Option<[RunsEntry; 2]>,
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

pub(super) fn block(block: &ExplanationBlock) -> BlockEntry {
    BlockEntry {
        base: runs(&block.base),
        new: runs(&block.new),
        shipped: block.shipped.as_ref().map(|two| two.each_ref().map(runs)),
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
