//! Captured builds.

mod json;
mod terminal;

pub use json::{json, one, removed};
pub use terminal::terminal;

pub(crate) use json::{BuildDocument, BuildsDocument, RemovedDocument};
