//! A ledger of ideas: the table of what each makes alone and in a stack, what was decided, and the
//! error budget.

mod comment;
mod csv;
mod figure;
mod json;
mod markdown;
mod question;
mod reading;
mod rows;
mod terminal;
mod words;

use proofmark_evidence::RecordedLedger;
use proofmark_hint::hint;

pub use self::csv::csv;
pub use comment::comment;
pub use json::json;
pub use markdown::markdown;
pub use terminal::terminal;

pub(crate) use json::LedgerDocument;

use crate::number::minute;
use crate::text::{one_line, printable};

/// That a run leaves an idea out, for it was dropped at this time and for this reason. What has its
/// name may be another change by now, which nobody measured.
#[must_use]
pub fn left_out(idea: &str, at_ms: u64, because: &str) -> String {
    format!(
        "proofmark: {} is left out: dropped on {}, because {}\n  next: {} measures it all the same",
        printable(idea),
        minute(at_ms),
        one_line(because),
        hint("ledger run", &[idea]),
    )
}

/// A ledger as recorded, with what is left of its error budget.
#[derive(Clone, Copy, Debug)]
pub struct LedgerView<'a> {
    /// What is recorded.
    pub recorded: &'a RecordedLedger,
    /// What is left of the wealth, ≥ 0.
    pub left: f64,
    /// The level of the next question, 0 to 1.
    pub next_level: f64,
    /// Questions asked so far.
    pub asked: u32,
    /// Findings so far.
    pub findings: usize,
}
