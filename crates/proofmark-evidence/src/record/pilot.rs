//! What the first, uncounted runs said about how to measure.

use serde::{Deserialize, Serialize};

/// The choices of an experiment's pilot, and what they rest on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pilot {
    /// How the runs of a block are put on the machine.
    pub schedule: Schedule,
    /// Why this one, in a sentence.
    pub reason: String,
    /// Rounds of a block.
    pub rounds: u32,
    /// CPU time of one run of each build, median, in nanoseconds.
    pub cpu_ns: Vec<u64>,
    /// What slicing does to the effect, for each build but the base; empty where slices were not tried.
    pub shifts: Vec<Shift>,
    /// Core on which runs are pinned.
    pub core: Option<u32>,
    /// Standard deviation of one block's effect that the pilot expects, on the scale of ln(new ÷ base).
    pub spread: Option<f64>,
    /// Smallest relative effect that the rest of the budget can be expected to resolve.
    pub resolvable: Option<f64>,
}

/// How the runs of a block share the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Schedule {
    /// All processes of a round take turns of a few milliseconds.
    Sliced {
        /// Mean length of a turn, in microseconds.
        slice_us: u64,
    },
    /// Whole runs in turn.
    Interleaved,
}

/// How far the effect moved between two ways of scheduling.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shift {
    /// Difference of mean effects, on the scale of ln(new ÷ base).
    pub estimate: f64,
    /// Its standard error.
    pub error: f64,
    /// What the printed interval is widened by on each side, ≥ 0.
    pub widening: f64,
}
