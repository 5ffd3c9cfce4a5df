//! An attribution: whose place carries the spread between layouts.

mod feature;
mod figures;
mod json;
mod markdown;
mod picture;
mod rows;
mod screening;
mod shares;
mod terminal;

pub(crate) use json::AttributionDocument;
pub use json::json;
pub use markdown::markdown;
pub use picture::picture;
pub use terminal::{progress, terminal};

/// What was found, in a sentence; none where it was interrupted.
pub(crate) fn answer(recorded: &proofmark_evidence::RecordedAttribution) -> Option<String> {
    let conclusion = recorded.conclusion.as_ref()?;
    Some(rows::headline(recorded, conclusion))
}
