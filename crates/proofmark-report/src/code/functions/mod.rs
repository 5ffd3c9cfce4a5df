//! Functions and their facts: as a table, and one in full.

mod in_full;
mod json;
mod terminal;

pub use in_full::{InFull, in_full};
pub use json::{in_full_json, json};
pub use terminal::terminal;

pub(crate) use json::FunctionsDocument;
