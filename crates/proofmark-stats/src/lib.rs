//! Blocks in, interval and verdict out.
//!
//! Pure: no I/O, no clock, no global state. Every effect is ln(new ÷ base); the unit of replication
//! is the block.

mod alarm;
mod block;
mod claim;
mod doubt;
mod effect;
mod gate;
mod groups;
mod interval;
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
mod sight;
mod verdict;

pub use alarm::{AlarmRate, alarm_rate};
pub use block::{BlockError, block_effect, geometric_mean, median, spread};
pub use claim::{AtLeast, Holds, Standing};
pub use doubt::{Doubt, check};
pub use effect::Effect;
pub use gate::{Condition, Gate, GateError, GateKind};
pub use interval::Interval;
pub use layout::{
    Anchored, LayoutUntold, LayoutVariance, better_than, layout_alone, layout_variance,
};
pub use looks::{Looks, LooksError, MOST_BLOCKS, solve_nominal_alpha};
pub use plan::{POWER, blocks_needed, resolvable};
pub use position::{PositionBias, PositionError, position_bias};
pub use rounds::{RoundCosts, RoundsAdvice, RoundsError, rounds_per_block};
pub use rule::{Look, Replay, Rule};
pub use scale::{Bounded, Lines, Part, ScaleError};
pub use shift::{ShiftEstimate, mean_shift, shift, widening_by_block};
pub use sight::Sight;
pub use verdict::{Better, Margin, Verdict};
