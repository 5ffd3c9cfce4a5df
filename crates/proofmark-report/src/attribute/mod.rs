//! An attribution: whose place carries the spread between layouts.

mod json;
mod markdown;
mod picture;
mod rows;
mod terminal;

pub(crate) use json::AttributionDocument;
pub use json::json;
pub use markdown::markdown;
pub use picture::picture;
pub use terminal::{progress, terminal};
