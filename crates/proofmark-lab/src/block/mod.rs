//! Arms of a block that are no build as it is: the one that pays a tax, and the one that leaves
//! caches alone.

pub(crate) mod idle;
mod taxed;

pub(crate) use taxed::{tax, taxed_ns};
