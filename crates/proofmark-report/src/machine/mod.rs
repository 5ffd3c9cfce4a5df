//! A machine: what on it hurts measuring, what it can resolve, and what tuning it is worth.

mod json;
mod terminal;
mod worth;

use proofmark_evidence::record::Pilot;
use proofmark_terms::Check;

pub use json::json;
pub use terminal::terminal;
pub use worth::{Worth, WorthOf};

pub(crate) use json::MachineDocument;

/// What was found of a machine.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// What was looked at.
    pub checks: &'a [Check],
    /// What it can resolve; none where that was not measured.
    pub power: Option<&'a Pilot>,
    /// What each item of `tune` is worth; none where that was not measured.
    pub worth: Option<&'a [Worth]>,
}
