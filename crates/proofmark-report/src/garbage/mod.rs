//! Garbage: what goes of a project's store, and what stays.

mod json;
mod rows;
mod terminal;

pub use json::json;
pub use rows::{CollectedView, CollectedWord, Collection, KeptView, KeptWord};
pub use terminal::terminal;
