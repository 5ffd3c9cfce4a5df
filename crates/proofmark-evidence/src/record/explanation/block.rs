//! A block of sampled runs.

use proofmark_terms::Digest;
use serde::{Deserialize, Serialize};

use super::super::SampledBy;
use crate::private::parts;

/// Sampled runs of both builds in the images of one block, in turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExplanationBlock {
    /// From 0, in the order of measurement.
    pub index: u32,
    /// The images: base and build.
    pub images: [Digest; 2],
    /// Runs of the base.
    pub base: SampledRuns,
    /// Runs of the build.
    pub new: SampledRuns,
    /// Runs of both as shipped, where the others are in drawn layouts and the comparison says that
    /// place makes the difference; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shipped: Option<Box<[SampledRuns; 2]>>,
    /// Milliseconds since 1970-01-01 UTC when it began.
    pub began_ms: u64,
    /// How long it took, in milliseconds, images included.
    pub took_ms: u64,
}

parts!(ExplanationBlock {
    index: open,
    images: open,
    base: inner,
    new: inner,
    shipped: inner,
    began_ms: open,
    took_ms: open,
});

/// Sampled runs of one image, added up. They never count as measured ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampledRuns {
    /// What noted where they were. Where it is callgrind a sample is an instruction, and times are
    /// numbers of these.
    pub by: SampledBy,
    /// How many.
    pub runs: u32,
    /// CPU time, in nanoseconds, in user space and in the kernel.
    pub cpu_ns: u64,
    /// Wall time, in nanoseconds.
    pub wall_ns: u64,
    /// Pages that had to be provided.
    pub page_faults: u64,
    /// How often a run gave up its core by itself, to wait for something.
    pub waits: u64,
    /// How often its core was taken from it.
    pub preempted: u64,
    /// Samples in user space.
    pub samples: u64,
    /// CPU time from one sample to the next, in nanoseconds.
    pub between_ns: u64,
    /// Those in the image, by function.
    pub functions: Vec<SampledFunction>,
    /// Those elsewhere.
    pub elsewhere: Vec<SampledElsewhere>,
}

parts!(SampledRuns {
    by: open,
    runs: open,
    cpu_ns: open,
    wall_ns: open,
    page_faults: open,
    waits: open,
    preempted: open,
    samples: open,
    between_ns: open,
    functions: inner,
    elsewhere: inner,
});

/// A function in which runs were seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampledFunction {
    /// Its symbol; empty of all functions together that the file does not name.
    pub symbol: String,
    /// As people call it.
    pub name: String,
    /// Samples in it.
    pub samples: u64,
    /// By source line, those with most samples first; not all of them, and none without line
    /// tables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<SampledLine>,
}

parts!(SampledFunction {
    symbol: mixed,
    name: mixed,
    samples: open,
    lines: inner,
});

/// A line of a source file in which runs were seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampledLine {
    /// The file's name, without its folder.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// Samples in it.
    pub samples: u64,
}

parts!(SampledLine {
    file: mixed,
    line: open,
    samples: open,
});

/// What is not of the image, and samples in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampledElsewhere {
    /// The file's name, without its folder; absent where no file lies there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Samples in it.
    pub samples: u64,
}

parts!(SampledElsewhere {
    file: mixed,
    samples: open,
});
