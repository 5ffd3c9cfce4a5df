//! What the blocks of an attribution say: pure.

mod by_feature;
mod conclude;
mod next;
mod screening;
mod values;

pub use conclude::conclude_attribution;
pub use next::{
    NextAttributionBlock, is_last_stage, next_attribution_block, planned_attribution_blocks,
};
pub use screening::{AnchoredLayout, anchored_layouts, conclude_screening, screen_places};
