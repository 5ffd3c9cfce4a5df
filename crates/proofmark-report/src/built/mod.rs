//! The builds of a matrix: what became of each, and what differs between them though nobody asked.

mod json;
mod log;
mod rows;
mod terminal;

pub use json::json;
pub use log::log_json;
pub use rows::{BuildEntry, BuiltView, FlagsEntry, MissingEntry, PresentEntry, UnevenEntry};
pub use terminal::terminal;

pub(crate) use log::LogDocument;
