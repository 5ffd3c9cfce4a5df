//! What the first, uncounted runs said about how to measure.

use crate::private::parts;
use proofmark_terms::BuildIndex;
use serde::{Deserialize, Serialize};

/// The choices of an experiment's pilot, and what they rest on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pilot {
    /// How the runs of a block are put on the machine.
    pub schedule: Schedule,
    /// Why this one, in a sentence.
    pub reason: String,
    /// Rounds of a block in which a build is held against the base.
    pub rounds: u32,
    /// How the blocks go on testing what slices do; absent where whole runs are taken.
    pub check: Option<SliceCheck>,
    /// CPU time of one run of each build, median, in nanoseconds.
    pub cpu_ns: Vec<u64>,
    /// What slices did to the effect in the pilot, for each build but the base; empty where they
    /// were not tried.
    pub shifts: Vec<Shift>,
    /// What is known of the programs.
    pub program: Vec<Observation>,
    /// Core on which runs are pinned; absent where they are free to use all.
    pub core: Option<u32>,
    /// Standard deviation of one block's effect that the pilot expects, on the scale of ln(new ÷
    /// base).
    pub spread: Option<f64>,
    /// Smallest relative effect that the rest of the budget can be expected to resolve.
    pub resolvable: Option<f64>,
    /// Whether runs stand another run of the program beside them: then instructions are counted
    /// while blocks are measured.
    #[serde(default = "yes")]
    pub company: bool,
    /// Time that a block is expected to take, in milliseconds.
    #[serde(default)]
    pub block_ms: Option<u64>,
    /// Time that the pilot took, in milliseconds; 0 where it was not kept.
    #[serde(default)]
    pub took_ms: u64,
}

parts!(Pilot {
    schedule: open,
    reason: mixed,
    rounds: open,
    check: open,
    cpu_ns: open,
    shifts: open,
    program: inner,
    core: open,
    spread: open,
    resolvable: open,
    company: open,
    block_ms: open,
    took_ms: open,
});

/// What was taken for granted before anybody looked.
fn yes() -> bool {
    true
}

/// Something that was found out about a build's program before it was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// Index of the build.
    pub build: BuildIndex,
    /// In a few words, of which the program is the subject: `makes 2 threads`.
    pub found: String,
    /// Whether it decided how runs are made.
    pub decides: bool,
}

parts!(Observation {
    build: open,
    found: mixed,
    decides: open
});

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

/// Rounds of each block that only tell what slices do to an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SliceCheck {
    /// Mean length of a shorter turn, in microseconds.
    pub short_us: u64,
    /// Rounds with shorter turns.
    pub short_rounds: u32,
    /// Rounds of whole runs.
    pub whole_rounds: u32,
    /// Rounds of each build beside a program that leaves its caches alone; 0 where the metric is
    /// not one of that program's.
    pub alone_rounds: u32,
    /// How long that program runs: the number of its loops.
    pub idle_loops: u64,
}

impl SliceCheck {
    /// The shorter slices as a schedule.
    #[must_use]
    pub fn short(&self) -> Schedule {
        Schedule::Sliced {
            slice_us: self.short_us,
        }
    }
}

/// How far the effect moved between two ways of scheduling.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shift {
    /// Difference of mean effects, on the scale of ln(new ÷ base).
    pub estimate: f64,
    /// Its standard error.
    pub error: f64,
}
