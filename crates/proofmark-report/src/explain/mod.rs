//! An explanation: what a change is made of, in one paragraph and a table.

mod explained;
mod figures;
mod json;
mod markdown;
mod missed;
mod paragraph;
mod placement;
mod processor;
mod rows;
mod terminal;

pub(crate) use json::ExplanationDocument;
pub use json::json;
pub use markdown::markdown;
pub(crate) use paragraph::answer;
pub use terminal::{progress, terminal};
