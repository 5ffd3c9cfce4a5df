//! An explanation: what a change that a comparison found is made of.

mod asked;
mod block;
mod code;
mod conclusion;
mod counts;
mod place;
mod placed;
mod placement;
mod simulated;

use proofmark_terms::{BuildIndex, Machine};
use serde::{Deserialize, Serialize};

pub use asked::{AskedOfSystem, RunAsked};
pub use block::{ExplanationBlock, SampledElsewhere, SampledFunction, SampledLine, SampledRuns};
pub use code::{CodeBetween, FunctionBetween};
pub use conclusion::ExplanationConclusion;
pub use counts::{CountFound, Counted, HardwareCount, HardwareRuns};
pub use place::{DifferenceFound, LineFound, PlaceFound, PlaceOf};
pub use placed::{HotBy, HotPlace, JumpErratum, PlacedCode, PlacedImage};
pub use placement::{Conflict, PlacementFound};
pub use simulated::{SimulatedFunction, SimulatedMisses, SimulatedRun, SimulatedRuns};

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
    /// What the processor's own counters say of those; absent where nobody asked them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardware: Option<HardwareRuns>,
    /// Where the hot code of those stands; absent where nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placed: Option<PlacedCode>,
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
    hardware: inner,
    placed: inner,
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
