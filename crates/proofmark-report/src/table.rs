//! Tables on a terminal.

use comfy_table::{ColumnConstraint, ContentArrangement, Table, presets};

use crate::style::Style;
use crate::text::untied;

/// From this width on, the first columns of a table stay whole, and only the others give way.
const WHOLE: usize = 80;

/// A table without rules, as wide as its content or as the terminal, whichever is less. Its first
/// `firm` columns are not broken.
pub(crate) fn table(
    style: Style,
    firm: usize,
    header: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> Vec<String> {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(u16::try_from(style.columns()).unwrap_or(u16::MAX))
        .set_header(header.to_vec());
    table.add_rows(rows);
    if style.columns() >= WHOLE {
        table.set_constraints(std::iter::repeat_n(ColumnConstraint::ContentWidth, firm));
    }
    table.lines().map(|line| untied(line.trim_end())).collect()
}
