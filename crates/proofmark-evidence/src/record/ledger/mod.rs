//! A ledger of ideas: what was tried, what was found of it, and what was decided. Its matrices are
//! chains of their own, which its entries name.

mod claim;
mod figure;
mod question;
mod race;
mod run;

use proofmark_terms::Holds;
use serde::{Deserialize, Serialize};

use crate::MatrixId;
use crate::private::parts;

pub use claim::{FirstFigure, LedgerClaim};
pub use figure::{FigureOf, FigureOver, LedgerFigure, LedgerFigureOf};
pub use question::{LedgerTest, TestOutcome};
pub use race::{LedgerRace, LedgerRunner};
pub use run::{
    LedgerAsked, LedgerBenchmark, LedgerBuild, LedgerGroup, LedgerGuard, LedgerIdea, LedgerPlace,
    LedgerRun, LedgerStack,
};

/// What is fixed before the first idea is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// Its name.
    pub name: String,
    /// The share of false findings among all findings that it promises not to exceed: above 0,
    /// below 0.5.
    pub rate: f64,
    /// The version of proofmark that began it.
    pub proofmark: String,
    /// Milliseconds since 1970-01-01 UTC.
    pub began_ms: u64,
}

parts!(Ledger {
    name: mixed,
    rate: open,
    proofmark: open,
    began_ms: open,
});

/// Something that happened to a ledger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// From 0, in the order in which they happened.
    pub index: u32,
    /// Milliseconds since 1970-01-01 UTC.
    pub at_ms: u64,
    /// What it was.
    pub of: LedgerEvent,
}

parts!(LedgerEntry {
    index: open,
    at_ms: open,
    of: inner,
});

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum LedgerEvent {
    /// Ideas were measured side by side.
    Measured {
        /// What came of it.
        run: Box<LedgerRun>,
    },
    /// Somebody decided on an idea.
    Decided {
        /// The idea.
        idea: String,
        /// What was decided.
        decision: Decision,
        /// Why.
        because: String,
        /// The matrix that it was last measured in; absent where it was not measured.
        matrix: Option<MatrixId>,
    },
    /// Ideas raced: those that could not be the best any more left early.
    Screened {
        /// What came of it.
        race: Box<LedgerRace>,
    },
    /// A claim was written down, before it was measured.
    Claimed {
        /// The claim.
        claim: LedgerClaim,
    },
    /// A claim was measured afresh.
    Confirmed {
        /// The index of the entry that states it.
        claim: u32,
        /// The matrix that it was measured in.
        matrix: MatrixId,
        /// What was found: with the idea ÷ without it.
        found: LedgerFigure,
        /// What that says of the claim.
        holds: Holds,
        /// Whether it was measured to the width that was claimed.
        reached: bool,
    },
}

parts!(
    enum LedgerEvent {
        Measured {
            run: inner,
        },
        Decided {
            idea: mixed,
            decision: open,
            because: mixed,
            matrix: open,
        },
        Screened {
            race: inner,
        },
        Claimed {
            claim: inner,
        },
        Confirmed {
            claim: open,
            matrix: open,
            found: open,
            holds: open,
            reached: open,
        },
    }
);

/// What becomes of an idea.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// It stays.
    Keep,
    /// It goes; its numbers stay.
    Drop,
    /// It is to be measured again.
    Again,
}
