//! An explanation: what a change that a comparison found is made of.

use proofmark_terms::{BuildIndex, Digest, Machine};
use serde::{Deserialize, Serialize};

use super::{Cause, FunctionChange, SampledBy};
use crate::ExperimentId;
use crate::private::parts;

/// What is fixed before the first sampled block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// The comparison that says how large the change is.
    pub comparison: ExperimentId,
    /// The build that is held against the base there.
    pub build: BuildIndex,
    /// What was asked.
    pub design: ExplanationDesign,
    /// In which images both builds were sampled.
    pub layouts: SampledLayouts,
    /// Runs of each build in a block; 0 where they could not be sampled.
    pub runs: u32,
    /// Why runs could not be sampled; absent where they could.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsampled: Option<String>,
    /// What traced runs asked of the system.
    pub asked: AskedOfSystem,
    /// What a model of caches and branches makes of the builds' own images; absent where nobody
    /// asked it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulated: Option<SimulatedRuns>,
    /// What became of the functions that differ, from the base's own image to the build's.
    pub code: CodeBetween,
    /// The machine when it began.
    pub machine: Machine,
    /// The version of proofmark that began it.
    pub proofmark: String,
    /// Milliseconds since 1970-01-01 UTC.
    pub began_ms: u64,
}

parts!(Explanation {
    comparison: open,
    build: open,
    design: open,
    layouts: inner,
    runs: open,
    unsampled: mixed,
    asked: inner,
    simulated: inner,
    code: inner,
    machine: inner,
    proofmark: open,
    began_ms: open,
});

/// When sampling stops.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExplanationDesign {
    /// Blocks.
    pub blocks: u32,
    /// Runs of each build in a block; by the length of a run when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs: Option<u32>,
    /// Most time to spend on it, in milliseconds; the comparison's is its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_ms: Option<u64>,
}

/// In which images both builds were sampled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum SampledLayouts {
    /// In those of the comparison's blocks.
    Drawn,
    /// Where their linker put everything.
    AsShipped {
        /// Why.
        why: String,
    },
}

parts!(
    enum SampledLayouts {
        Drawn,
        AsShipped { why: mixed },
    }
);

/// What runs asked of the system, by traced runs, two of each build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum AskedOfSystem {
    /// Counted.
    Counted {
        /// Of the base.
        base: Box<[RunAsked; 2]>,
        /// Of the build.
        new: Box<[RunAsked; 2]>,
        /// What a call that does next to nothing costs on the machine, in nanoseconds; absent where
        /// that was not measured.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call_ns: Option<u64>,
    },
    /// Not counted, and why.
    Unavailable {
        /// The reason.
        reason: String,
    },
}

parts!(
    enum AskedOfSystem {
        Counted {
            base: open,
            new: open,
            call_ns: open,
        },
        Unavailable {
            reason: mixed,
        },
    }
);

/// What one run asked of the system, with all that it started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunAsked {
    /// System calls.
    pub calls: u64,
    /// By name, those made most first; not all of them.
    pub by_name: Vec<(String, u64)>,
    /// Bytes that it read.
    pub read: u64,
    /// Bytes that it wrote.
    pub written: u64,
    /// Processes that it started.
    pub processes: u64,
    /// Threads that it started.
    pub threads: u64,
}

/// One run of each build's own image in a model of caches and branches. It is no measurement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum SimulatedRuns {
    /// Simulated.
    Counted {
        /// The caches of the model, in words: instructions, data, the last level.
        caches: [String; 3],
        /// Of the base.
        base: SimulatedRun,
        /// Of the build.
        new: SimulatedRun,
    },
    /// Not simulated, and why.
    Unavailable {
        /// The reason.
        reason: String,
    },
}

parts!(
    enum SimulatedRuns {
        Counted { caches: open, base: open, new: open },
        Unavailable { reason: mixed },
    }
);

/// What a model counts of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimulatedRun {
    /// Instructions.
    pub instructions: u64,
    /// Reads of instructions that the first level did not hold.
    pub i1: u64,
    /// Accesses of data that the first level did not hold.
    pub d1: u64,
    /// Reads of instructions that the last level did not hold either.
    pub ll_instructions: u64,
    /// Accesses of data that the last level did not hold either.
    pub ll_data: u64,
    /// Branches that were not foreseen.
    pub branches: u64,
}

/// What became of functions from one build's own image to the other's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum CodeBetween {
    /// Both images were read.
    Read {
        /// Functions that differ.
        functions: Vec<FunctionBetween>,
        /// Functions of one content and two names: the base's symbol and the build's.
        renamed: Vec<[String; 2]>,
        /// Functions of the base and of the build that the files name; the others go by their
        /// addresses.
        named: [u64; 2],
    },
    /// They were not, and why.
    Unread {
        /// The reason.
        reason: String,
    },
}

parts!(
    enum CodeBetween {
        Read {
            functions: inner,
            renamed: open,
            named: open,
        },
        Unread {
            reason: mixed,
        },
    }
);

/// A function that differs between two images.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionBetween {
    /// Its symbol; of one that is gone, the base's.
    pub symbol: String,
    /// What became of it.
    pub how: FunctionChange,
    /// Bytes in the base and in the build; 0 where it is not there.
    pub bytes: [u64; 2],
    /// Instructions, likewise.
    pub instructions: [u64; 2],
    /// Calls in its code, likewise.
    pub calls: [u64; 2],
}

parts!(FunctionBetween {
    symbol: mixed,
    how: open,
    bytes: open,
    instructions: open,
    calls: open,
});

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

/// What the comparison and the sampled blocks say together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExplanationConclusion {
    /// The first cause.
    pub cause: Cause,
    /// CPU time of a sampled run, new less base, as a share of the base's; absent where runs could
    /// not be sampled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<DifferenceFound>,
    /// Its wall time, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall: Option<DifferenceFound>,
    /// Where the CPU time is, that with the largest difference first.
    pub places: Vec<PlaceFound>,
    /// Of those, how many were held against noise; intervals hold for all of them together.
    pub compared: u32,
    /// Counts of events of a run.
    pub counts: Vec<CountFound>,
    /// Blocks.
    pub blocks: u32,
    /// Milliseconds of CPU time of a run of the base.
    pub base_run_ms: f64,
    /// Milliseconds in all blocks.
    pub took_ms: u64,
}

parts!(ExplanationConclusion {
    cause: inner,
    cpu: open,
    wall: open,
    places: inner,
    compared: open,
    counts: open,
    blocks: open,
    base_run_ms: open,
    took_ms: open,
});

/// A difference, new less base, with its interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DifferenceFound {
    /// The mean over blocks.
    pub estimate: f64,
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

impl DifferenceFound {
    /// Whether 0 lies outside of its interval.
    #[must_use]
    pub fn differs(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

/// Where CPU time is spent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum PlaceOf {
    /// In a function of the image.
    Function {
        /// Its symbol in the build, or in the base where the build has it not.
        symbol: String,
        /// As people call it.
        name: String,
    },
    /// In functions of the image that the file does not name.
    Nameless,
    /// In a file that is not the image: a library.
    Library {
        /// The file's name, without its folder.
        file: String,
    },
    /// In the kernel, with the start of the process.
    Kernel,
    /// Where no file lies: code made while the program ran.
    Unknown,
}

parts!(
    enum PlaceOf {
        Function { symbol: mixed, name: mixed },
        Nameless,
        Library { file: mixed },
        Kernel,
        Unknown,
    }
);

/// A place, and how much of the time of a run is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaceFound {
    /// The place.
    pub place: PlaceOf,
    /// Its share of the base's CPU time.
    pub base: f64,
    /// Its CPU time in the new build, as a share of the base's CPU time.
    pub new: f64,
    /// New less base, on the same scale; the intervals of all places that were held against noise
    /// hold together. Absent of a place that is too small for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<DifferenceFound>,
    /// How its machine code changed; absent where it did not, and of what is no function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<FunctionBetween>,
    /// The source line of which the time differs most; absent without line tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<LineFound>,
}

parts!(PlaceFound {
    place: inner,
    base: open,
    new: open,
    difference: open,
    code: inner,
    line: inner,
});

/// A line of a source file, and how much of the time of a run is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LineFound {
    /// The file's name, without its folder.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// Its share of the base's CPU time.
    pub base: f64,
    /// Its CPU time in the new build, as a share of the base's CPU time.
    pub new: f64,
}

parts!(LineFound {
    file: mixed,
    line: open,
    base: open,
    new: open,
});

/// What is counted of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    /// Instructions.
    Instructions,
    /// System calls.
    SystemCalls,
    /// Pages that had to be provided.
    PageFaults,
    /// Voluntary context switches.
    Waits,
    /// Other context switches.
    Preempted,
    /// Bytes read.
    BytesRead,
    /// Bytes written.
    BytesWritten,
}

/// A count of a run of each build.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CountFound {
    /// What is counted.
    pub what: Counted,
    /// Of a run of the base: a mean where it was counted in several.
    pub base: f64,
    /// Of a run of the build.
    pub new: f64,
    /// They differ beyond what counts of one build differ among themselves.
    pub differs: bool,
}
