//! Warnings about machine code.

use proofmark_terms::OsText;
use serde::{Deserialize, Serialize};

use crate::private::parts;

/// An expectation of machine code that no cell was held against.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpectationOfNoCell {
    /// The file of expectations.
    pub file: OsText,
    /// The line in it, from 1.
    pub line: u64,
    /// The function that it is about.
    pub function: String,
    /// Why it is not about the cells, as the end of a sentence.
    pub why: String,
}

parts!(ExpectationOfNoCell {
    file: whole,
    line: open,
    function: mixed,
    why: mixed,
});
