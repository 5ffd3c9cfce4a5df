//! Gains that were stated before they were measured.

use proofmark_terms::{Digest, Margin};
use serde::{Deserialize, Serialize};

use super::figure::LedgerFigure;
use crate::private::parts;

/// A stated gain, written down before it is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerClaim {
    /// The idea.
    pub idea: String,
    /// Of what it changes, and on what that is measured.
    pub change: Digest,
    /// By how much it is better at least, relative: 0.05 for 5 %.
    pub at_least: f64,
    /// Differences smaller than this count as none.
    pub margin: Margin,
    /// The half-width to which it is measured, relative, whatever is found.
    pub precision: f64,
    /// Names of the benchmarks that it is about.
    pub benchmarks: Vec<String>,
    /// The seed of its layouts, in digits: drawn for this claim alone.
    pub seed: String,
    /// What was found when the idea was measured last.
    pub first: Option<FirstFigure>,
}

parts!(LedgerClaim {
    idea: mixed,
    change: open,
    at_least: open,
    margin: open,
    precision: open,
    benchmarks: mixed,
    seed: open,
    first: open,
});

/// What was found of an idea before it was confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FirstFigure {
    /// The index of the entry.
    pub entry: u32,
    /// The figure.
    pub figure: LedgerFigure,
    /// How many ideas were measured in the same run: what it was picked from.
    pub among: u32,
}
