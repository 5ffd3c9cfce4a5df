//! A history: the levels of a metric over time, and where they change.

mod json;
mod picture;
mod rows;
mod terminal;

use proofmark_conclude::history::{HistoryFound, Series};

pub(crate) use json::HistoryDocument;
pub use json::json;
pub use picture::picture;
pub use terminal::terminal;

/// Histories that were recorded by another tool, and what they say.
#[derive(Clone, Debug)]
pub struct Histories<'a> {
    /// By metric.
    pub series: &'a [(Series, HistoryFound)],
    /// Changes of less than this are counted and not listed; relative, 0.01 for 1 %.
    pub margin: f64,
}
