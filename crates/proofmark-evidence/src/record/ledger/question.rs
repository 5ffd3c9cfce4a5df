//! Questions that were asked of the error budget.

use serde::{Deserialize, Serialize};

use crate::private::parts;

/// A question asked of the error budget: is this idea better at all?
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerTest {
    /// The idea's place among those of the run.
    pub idea: u32,
    /// How often blocks of a useless idea would show as much, at most; 0 to 1.
    pub p_value: f64,
    /// What came of it.
    pub outcome: TestOutcome,
}

parts!(LedgerTest {
    idea: open,
    p_value: open,
    outcome: open,
});

/// What came of a question.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum TestOutcome {
    /// It was asked at this level of the budget.
    Asked {
        /// Which question of the ledger, from 1.
        number: u32,
        /// What it spent, 0 to 1.
        level: f64,
        /// Whether it is a finding.
        found: bool,
    },
    /// The same change was found by an earlier run: nothing is spent, and nothing earned.
    KnownBefore,
    /// The same blocks answered it before: one look at them is all that was paid for.
    AnsweredBefore {
        /// Which question of the ledger that was, from 1.
        number: u32,
    },
    /// Another idea of the run is the same change, and was asked: what came of that one stands for
    /// this one too.
    SameAs {
        /// The place of the other one among those of the run.
        idea: u32,
    },
}
