//! What came of checking expectations.

use serde::Serialize;

use crate::address::Address;
use crate::source::SourceLine;

/// What came of checking a file.
#[derive(Debug, Clone)]
pub struct Report {
    /// One for each condition and function, in the file's order.
    pub outcomes: Vec<ConditionOutcome>,
}

/// What came of one condition.
#[derive(Debug, Clone)]
pub struct ConditionOutcome {
    /// The pattern.
    pub pattern: String,
    /// The condition as written.
    pub condition: String,
    /// The condition with the numbers that its names stand for.
    pub in_numbers: String,
    /// Why it is expected.
    pub because: Option<String>,
    /// The line of the condition in the expectations file.
    pub line: usize,
    /// The function that it was checked on; `None` where it is about all or none.
    pub function: Option<String>,
    /// Whether it holds.
    pub status: Status,
}

/// Whether a condition holds.
#[derive(Debug, Clone)]
pub enum Status {
    /// It does. The text says what was found.
    Held(String),
    /// It does not.
    Broken(Box<Breach>),
    /// It is not meant for this file; the text says for which.
    Skipped(String),
}

/// A broken condition.
#[derive(Debug, Clone, Serialize)]
pub struct Breach {
    /// What was found: "1 indirect_jumps".
    pub found: String,
    /// What was expected: "at least 41".
    pub expected: String,
    /// Where the function is.
    pub address: Option<Address>,
    /// Where the function is in its source.
    pub source: Option<SourceLine>,
    /// Places that were counted, a few of them.
    pub places: Vec<Place>,
    /// The number of all places that were counted.
    pub all_places: usize,
    /// The nearest cause that can be named.
    pub cause: Option<String>,
}

/// A place in the code.
#[derive(Debug, Clone, Serialize)]
pub struct Place {
    /// The instruction's address.
    pub address: Address,
    /// The instruction.
    pub text: String,
    /// Its line in the source.
    pub source: Option<SourceLine>,
}

impl Report {
    /// Conditions that do not hold.
    #[must_use]
    pub fn broken(&self) -> usize {
        self.outcomes
            .iter()
            .filter(|o| matches!(o.status, Status::Broken(_)))
            .count()
    }

    /// Conditions that hold.
    #[must_use]
    pub fn held(&self) -> usize {
        self.outcomes
            .iter()
            .filter(|o| matches!(o.status, Status::Held(_)))
            .count()
    }

    /// Whether something was checked and all of it holds. A file in which nothing applies asserts
    /// nothing, and does not pass.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.broken() == 0 && self.held() > 0
    }
}
