//! What the blocks of an attribution say: pure.

mod by_start;
mod conclude;
mod next;
mod values;

pub use conclude::conclude_attribution;
pub use next::{
    NextAttributionBlock, is_last_stage, next_attribution_block, planned_attribution_blocks,
};
