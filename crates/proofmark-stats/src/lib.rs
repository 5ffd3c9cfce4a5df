//! Blocks in, interval and verdict out.
//!
//! Pure: no I/O, no clock, no global state. Every effect is ln(new ÷ base); the unit of replication
//! is the block.

mod alarm;
mod block;
mod claim;
mod doubt;
mod gate;
mod groups;
mod layout;
mod looks;
mod moments;
mod plan;
mod position;
mod quantile;
mod rounds;
mod rule;
mod scale;
mod shift;

pub use alarm::{AlarmRate, alarm_rate};
pub use block::{BlockError, block_effect, geometric_mean, median, spread};
pub use claim::AtLeast;
pub use doubt::{Doubt, check};
pub use gate::{Condition, Gate, GateError, GateKind};
pub use layout::{
    Anchored, LayoutUntold, LayoutVariance, better_than, layout_alone, layout_variance,
};
pub use looks::{Looks, LooksError, MOST_BLOCKS, solve_nominal_alpha};
pub use plan::{POWER, blocks_needed, resolvable};
pub use position::{PositionBias, PositionError, position_bias};
pub use rounds::{RoundCosts, RoundsAdvice, RoundsError, rounds_per_block};
pub use rule::{Look, Replay, Rule};
pub use scale::{Lines, ScaleError};
pub use shift::{ShiftEstimate, mean_shift, shift, widening_by_block};

// What is said and what it is said of: words that other rooms write down without computing.
pub use proofmark_terms::{
    Better, Bounded, Effect, Holds, Interval, Margin, Part, Sight, Standing, Verdict,
};
