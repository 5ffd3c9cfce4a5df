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
        "{}.\n\
         Nothing was measured or recorded: `latest` is still what was measured before.\n\
         Where a difference may lie outside of these files, or for a record, measure with\n\
         --measure-equal.\n",
        told.join(".\n")
    )
}
