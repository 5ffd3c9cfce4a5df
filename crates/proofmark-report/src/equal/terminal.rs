//! Builds that are one program, in words.

use super::{Equals, said};

/// What the builds have in common, and how to measure them all the same; ends with a line feed.
#[must_use]
pub fn terminal(equals: &Equals<'_>) -> String {
    let others = equals.others.iter();
    let told: Vec<String> = others
        .map(|(new, same)| said(equals.base, new, *same))
        .collect();
    format!(
        "{}.\nNothing was measured. If a difference lies outside of these files, measure with --measure-equal.\n",
        told.join(".\n")
    )
}
