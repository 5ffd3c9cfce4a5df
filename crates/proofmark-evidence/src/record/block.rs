//! One block: the unit of replication.

use proofmark_terms::{ArmIndex, BuildIndex, Digest, Layout, Machine};
use serde::{Deserialize, Serialize};

use super::Schedule;

/// Images of each build, same seed, measured in rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// From 0, in the order of measurement.
    pub index: u32,
    /// Where the functions of its images sit, but for those that are as shipped in any case. A seed
    /// is drawn from the experiment's.
    pub layout: Layout,
    /// The images that took part.
    pub arms: Vec<ArmRef>,
    /// Of each arm's image, in the order of `arms`.
    pub images: Vec<Digest>,
    /// The machine that it ran on, as it was when this sitting began.
    pub machine: Machine,
    /// The rounds, in the order in which they ran.
    pub rounds: Vec<Round>,
    /// BLAKE3 of what every run printed, as it is compared: without the numbers that are the
    /// metric, and as the filter leaves it. Absent where runs may differ.
    pub printed: Option<Digest>,
    /// Milliseconds since 1970-01-01 UTC when it began.
    pub began_ms: u64,
    /// How long it took, in milliseconds, images included.
    pub took_ms: u64,
}

/// Which image an arm of a block runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ArmRef {
    /// A build in the block's layout.
    Drawn {
        /// Index of the build; 0 is the base.
        build: BuildIndex,
    },
    /// A build as its own linker laid it out.
    AsShipped {
        /// Index of the build; 0 is the base.
        build: BuildIndex,
    },
    /// The base in the block's layout, its CPU time taxed by exactly the margin.
    Taxed,
    /// A small program that computes and hardly touches memory: what shares slices with it runs as
    /// if it were alone.
    Idle,
}

/// Some of the block's arms, run side by side: two where they take slices, any number where whole
/// runs are taken in turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// How these runs shared the machine.
    pub schedule: Schedule,
    /// The arms, as indices into the block's, in the order in which they started.
    pub order: Vec<ArmIndex>,
    /// One run for each, in the same order.
    pub runs: Vec<Run>,
}

impl Round {
    /// The run of one arm of the block; `None` where it took no part.
    #[must_use]
    pub fn run_of(&self, arm: ArmIndex) -> Option<&Run> {
        let place = self.order.iter().position(|&each| each == arm)?;
        self.runs.get(place)
    }
}

/// One execution of an image that succeeded; a run that fails is never recorded as a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The metric's value, in the unit of the metric; positive and finite.
    pub value: f64,
    /// CPU time, in nanoseconds.
    pub cpu_ns: u64,
    /// Wall time, in nanoseconds; pauses included.
    pub wall_ns: u64,
    /// Largest resident set, in bytes.
    pub peak_bytes: u64,
}
