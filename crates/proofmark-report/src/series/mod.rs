//! A series of commits: its lines over layouts and as shipped, and where their level changes.

mod begins;
mod json;
mod markdown;
mod picture;
mod rows;
mod terminal;
mod watched;

use proofmark_evidence::RecordedSeries;
use proofmark_stats::Margin;

pub use begins::begins;
pub(crate) use json::SeriesDocument;
pub use json::json;
pub use markdown::markdown;
pub use picture::picture;
pub use rows::progress;
pub use terminal::terminal;

/// A series to be shown.
#[derive(Clone, Debug)]
pub struct Shown {
    /// What the store has of it.
    pub recorded: RecordedSeries,
    /// Levels that differ by less than this count as one.
    pub margin: Margin,
}
