//! A bisection: which commit changed it, and how that is known.

mod answer;
mod json;
mod json_parts;
mod json_steps;
mod json_survey;
mod lines;
mod log;
mod markdown;
mod picture;
mod rows;
mod sides;
mod survey;
mod terminal;

pub(crate) use json::BisectDocument;
pub use json::json;
pub use log::log;
pub use markdown::markdown;
pub use picture::picture;
pub use rows::{progress, rebuilt};
pub use terminal::terminal;
