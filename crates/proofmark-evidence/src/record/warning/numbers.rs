//! Warnings about the numbers themselves.

use proofmark_terms::{Interval, Margin};
use serde::{Deserialize, Serialize};

use crate::private::parts;

/// A slowdown of exactly the margin, put into the base on purpose, was seen as another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MarginMisjudged {
    /// What was put in.
    pub margin: Margin,
    /// What was seen: taxed base ÷ base.
    pub interval: Interval,
    /// Runs took slices, which may be the cause.
    pub sliced: bool,
}

parts!(MarginMisjudged {
    margin: open,
    interval: open,
    sliced: open,
});
