//! Remedies on a terminal, below the explanation that they belong to.

use super::Remedies;
use super::rows::{HEAD, about, answer, notes, rows};
use crate::style::{Style, Tone};
use crate::table::table;
use crate::text::wrapped;

/// Remedies as text, no wider than the style asks for.
#[must_use]
pub fn terminal(remedies: &Remedies, style: &Style) -> String {
    let columns = style.columns();
    let mut out = vec![String::new()];
    for line in wrapped(&answer(remedies), columns, "", "") {
        out.push(style.paint(Tone::Figure, &line));
    }
    out.extend(wrapped(&about(remedies), columns, "", ""));
    let rows = rows(remedies);
    if !rows.is_empty() {
        out.push(String::new());
        out.extend(table(*style, 1, &HEAD, rows));
    }
    out.push(String::new());
    for note in notes(remedies) {
        out.extend(wrapped(&note, columns, "  note  ", "        "));
    }
    out.push(String::new());
    out.join("\n")
}
