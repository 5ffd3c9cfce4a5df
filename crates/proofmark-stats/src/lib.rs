//! Blocks in, interval and verdict out.
//!
//! Pure: no I/O, no clock, no global state. Every effect is ln(new ÷ base); the unit of replication is the block.

mod effect;
mod interval;
mod verdict;

pub use effect::Effect;
pub use interval::Interval;
pub use verdict::{Better, Margin, Verdict};
