//! What a block is made of: which arms share a round and how, the arm that pays a tax, and the arm
//! that leaves caches alone.

mod groups;
pub(crate) mod idle;
mod taxed;

pub(crate) use groups::{Group, groups};
pub(crate) use taxed::{tax, taxed_ns};
