//! What the blocks of a sweep say: pure.

mod cells;
mod conclude;
mod next;

pub use conclude::conclude_sweep;
pub use next::{NextSweepBlock, SweepOrder, extremes, next_sweep_block};
