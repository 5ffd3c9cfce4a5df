//! Comparisons without a verdict, because drawn images are another program.

use proofmark_evidence::record::{Comparison, DrawnWork};

/// Whether a comparison has no verdict because drawn images do other work, or nobody knows whether
/// they do.
#[must_use]
pub fn is_withheld(comparison: &Comparison) -> bool {
    let drawn = comparison.drawn.as_ref();
    drawn.is_some_and(|drawn| *drawn != DrawnWork::Same)
}
