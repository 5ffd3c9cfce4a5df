//! An explanation: what a change is made of, in one paragraph and a table.

mod figures;
mod json;
mod markdown;
mod paragraph;
mod rows;
mod terminal;

pub(crate) use json::ExplanationDocument;
pub use json::json;
pub use markdown::markdown;
pub use terminal::{progress, terminal};
