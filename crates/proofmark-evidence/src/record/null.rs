//! What the blocks of a null test say: a build against itself, as two distinct files.

use proofmark_terms::{Interval, Verdict};
use serde::{Deserialize, Serialize};

use super::{Stop, Warning};
use crate::private::parts;

/// The end of a null test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NullConclusion {
    /// Blocks that it rests on.
    pub blocks: u32,
    /// Why measuring stopped.
    pub stop: Stop,
    /// How often this set-up would call the build different from itself.
    pub alarms: Alarms,
    /// The build against its own copy over all blocks, as ln(copy ÷ build): must hold no change.
    pub interval: Interval,
    /// What that interval says.
    pub verdict: Verdict,
    /// Standard deviation of the blocks' effects, on the scale of ln(copy ÷ build).
    pub spread: f64,
    /// Smallest relative effect that as many blocks can be expected to resolve.
    pub resolvable: Option<f64>,
    /// Whether the place within the round tells in the numbers; absent where there were too few
    /// rounds to tell.
    pub position: Option<PositionBias>,
    /// What must be known before the numbers are believed.
    pub warnings: Vec<Warning>,
    /// Wall time of all blocks and the pilot, in milliseconds.
    pub took_ms: u64,
}

parts!(NullConclusion {
    blocks: open,
    stop: open,
    alarms: open,
    interval: open,
    verdict: open,
    spread: open,
    resolvable: open,
    position: open,
    warnings: inner,
    took_ms: open,
});

/// False alarms when the signs of the blocks are re-drawn and the stopping rule is replayed on each
/// re-drawing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alarms {
    /// Re-drawings of the signs.
    pub redraws: u32,
    /// Verdicts in all: one for each re-drawing, or several where there are blocks for more than
    /// one stretch.
    pub verdicts: u64,
    /// Of these, how many would have been "faster" or "slower", negligible or not.
    pub alarms: u64,
    /// Of the alarms, how many lie inside the margin.
    pub negligible: u64,
    /// Alarms ÷ verdicts, 0 to 1.
    pub rate: f64,
    /// Lower end of its 95 % interval, 0 to 1.
    pub low: f64,
    /// Upper end of its 95 % interval, 0 to 1.
    pub high: f64,
    /// What the confidence asked for allows: 1 − confidence.
    pub allowed: f64,
}

/// Whether a run is slower or faster for where in its round it started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PositionBias {
    /// Mean of ln(value ÷ mean of its round) of the runs that started first, second…
    pub by_position: Vec<f64>,
    /// Probability of differences this large if the position did not matter, 0 to 1.
    pub p: f64,
}
