//! A sweep: what the address of a function does.

mod csv;
mod grid;
mod json;
mod picture;
mod rows;
mod terminal;

pub use csv::csv;
pub(crate) use json::SweepDocument;
pub use json::json;
pub use picture::picture;
pub use terminal::{progress, terminal};

/// What was found, in a sentence; none where it was interrupted.
pub(crate) fn answer(recorded: &proofmark_evidence::RecordedSweep) -> Option<String> {
    let conclusion = recorded.conclusion.as_ref()?;
    Some(rows::headline(recorded, conclusion))
}
