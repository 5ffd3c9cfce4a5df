//! What is counted of a run of each build.

use serde::{Deserialize, Serialize};

use crate::private::parts;

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
    /// Cycles of the core, by the processor's own counter; so are all that follow.
    Cycles,
    /// Branches.
    Branches,
    /// Branches that were predicted wrongly.
    BranchMisses,
    /// Misses of the first level's instruction cache.
    InstructionCacheMisses,
    /// Reads that the first level's data cache did not hold.
    DataCacheMisses,
    /// Reads that the last level did not hold.
    LastLevelMisses,
    /// Translations of addresses of instructions that were not at hand.
    InstructionTlbMisses,
    /// Translations of addresses of data that were not at hand.
    DataTlbMisses,
}

/// What the processor's own counters say of runs of the images as shipped. Such runs are not timed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum HardwareRuns {
    /// Counted: one entry for each counter that this machine has.
    Counted {
        /// What was counted.
        counters: Vec<HardwareCount>,
        /// Counters that were asked for and are not there, each with the reason.
        lacking: Vec<String>,
    },
    /// There are none, and why.
    Unavailable {
        /// The reason.
        reason: String,
    },
}

parts!(
    enum HardwareRuns {
        Counted { counters: open, lacking: mixed },
        Unavailable { reason: mixed },
    }
);

/// One counter over runs of both builds in turn: the first of the base is beside the first of the
/// build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HardwareCount {
    /// What is counted.
    pub what: Counted,
    /// Runs of the base.
    pub base: Vec<u64>,
    /// Runs of the build.
    pub new: Vec<u64>,
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
