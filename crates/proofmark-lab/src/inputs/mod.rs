//! What runs read: found by a traced run before anything is measured, and watched while it is. A
//! number is of one input, or it is none.

mod address_tables;
mod around;
mod content;
mod find;
mod found;
mod look;
mod named;
mod of_builds;
mod of_copies;
mod own;
mod traced;
mod trees;
mod watched;
mod ways;

pub(crate) use address_tables::refuse_address_tables;
pub(crate) use find::{find, find_hearing};
pub(crate) use look::Look;
pub(crate) use named::named_hashes;
pub(crate) use trees::TreesRead;
pub(crate) use watched::{Watched, changed_since};
