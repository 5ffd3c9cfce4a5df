//! What changed between two programs.

mod json;
mod listing;
mod rows;
mod summary;
mod terminal;

use proofmark_code::Image;
use proofmark_code::diff::Difference;

pub use json::json;
pub use listing::listing;
pub use summary::summary;
pub use terminal::terminal;

pub(crate) use json::DifferenceDocument;

/// Two images and what became of their functions.
pub type Compared<'a> = (Option<&'a Image>, Option<&'a Image>, Difference);
