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

/// That a run leaves an idea out, for it was dropped at this time and for this reason; or that it
/// does not, for a stack still holds it. What has its name may be another change by now, which
/// nobody measured.
#[must_use]
pub fn left_out(idea: &str, at_ms: u64, because: &str, in_stack: Option<&str>) -> String {
    if let Some(stack) = in_stack {
        return format!(
            "proofmark: {} is measured all the same: it was dropped on {}, because {}, and stack {} \
             still holds it\n  next: take it out of [stack.{}] to leave it out",
            printable(idea),
            minute(at_ms),
            one_line(because),
            printable(stack),
            printable(stack),
        );
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_idea_is_left_out_unless_a_stack_holds_it() {
        let said = |stack| left_out("flag", 1_764_000_000_000, "no gain", stack);
        assert_eq!(
            said(None),
            "proofmark: flag is left out: dropped on 2025-11-24 16:00, because no gain\n  next: \
             `proofmark ledger run flag` measures it all the same"
        );
        assert_eq!(
            said(Some("all")),
            "proofmark: flag is measured all the same: it was dropped on 2025-11-24 16:00, because \
             no gain, and stack all still holds it\n  next: take it out of [stack.all] to leave it out"
        );
    }
}
