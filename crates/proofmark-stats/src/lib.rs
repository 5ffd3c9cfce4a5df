//! Blocks in, interval and verdict out.
//!
//! Pure: no I/O, no clock, no global state. Every effect is ln(new ÷ base); the unit of replication
//! is the block.
//!
//! ```
//! use proofmark_stats::{Better, Looks, Margin, Rule, Verdict, block_effect};
//!
//! // Eight blocks of two rounds, in which the new build takes about 3 % less.
//! let effects: Vec<f64> = (0..8)
//!     .map(|block| {
//!         let noise = 0.1 * f64::from(block % 3);
//!         block_effect(&[97.0 + noise, 97.1], &[100.0, 100.0 + noise]).unwrap()
//!     })
//!     .collect();
//! // Intervals of 95 % that hold together after each block from 8 to 60; the margin is 1 %.
//! let looks = Looks::new(0.95, 8, 60, 1).unwrap();
//! let rule = Rule::new(looks, Margin::from_relative(0.01).unwrap(), Better::Lower);
//! let look = rule.look(&effects).unwrap();
//! assert_eq!(look.verdict, Verdict::Faster);
//! assert!(look.stop && look.interval.high.ratio() < 0.98);
//! ```

mod agreement;
mod alarm;
pub mod attribute;
mod block;
pub mod changes;
mod claim;
mod doubt;
mod gate;
mod groups;
mod guard;
mod layout;
pub mod ledger;
mod looks;
mod moments;
mod plan;
mod position;
mod quantile;
mod rounds;
mod rule;
mod scale;
mod shift;
mod sums;
pub mod sweep;

pub use agreement::{Agreement, Measured, difference};
pub use alarm::{AlarmRate, alarm_rate, share_bounds};
pub use block::{BlockError, block_effect, geometric_mean, ln_mean, median, spread};
pub use claim::AtLeast;
pub use doubt::{Doubt, check};
pub use gate::{Condition, Gate, GateError, GateKind};
pub use guard::AtMost;
pub use layout::{
    Anchored, LayoutUntold, LayoutVariance, SpreadRatio, better_than, layout_alone,
    layout_variance, spread_ratio,
};
pub use looks::{Looks, LooksError, MOST_BLOCKS, solve_nominal_alpha};
pub use plan::{POWER, blocks_needed, resolvable};
pub use position::{PositionBias, PositionError, position_bias};
pub use rounds::{RoundCosts, RoundsAdvice, RoundsError, rounds_per_block};
pub use rule::{Look, Replay, Rule};
pub use scale::{Lines, ScaleError};
pub use shift::{ShiftEstimate, mean_at, mean_shift, shift, shift_among, widening_by_block};
pub use sums::{SumsApart, sums_apart};

// What is said and what it is said of: words that other rooms write down without computing.
pub use proofmark_terms::{
    Better, Bounded, Effect, Holds, Interval, Margin, Part, Sight, Standing, Verdict,
};
