//! Ideas that raced.

use serde::{Deserialize, Serialize};

use super::figure::LedgerFigure;
use crate::MatrixId;
use crate::private::parts;

/// Ideas that raced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerRace {
    /// The matrix whose blocks they were measured in.
    pub matrix: MatrixId,
    /// The probability that the best one left is at most 1 less this; 0 to 1.
    pub confidence: f64,
    /// Base against itself, over all benchmarks.
    pub null: Option<LedgerFigure>,
    /// Each idea, in the order of the file.
    pub runners: Vec<LedgerRunner>,
}

parts!(LedgerRace {
    matrix: open,
    confidence: open,
    null: open,
    runners: inner,
});

/// An idea in a race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerRunner {
    /// Its name.
    pub idea: String,
    /// Blocks that it was measured in.
    pub blocks: u32,
    /// Whether it may be the best of them.
    pub stays: bool,
    /// It ÷ base over all benchmarks, at the confidence of all that raced together; absent where it
    /// has no build, or is out of a benchmark. What it was picked by: no figure to tell others.
    pub figure: Option<LedgerFigure>,
    /// Why it did not run to the end, where it failed.
    pub why: Option<String>,
}

parts!(LedgerRunner {
    idea: mixed,
    blocks: open,
    stays: open,
    figure: open,
    why: mixed,
});
