//! A line below a finding: its label, its value, and words; and how a terminal lays such lines out.

use crate::style::Style;
use crate::text::{padded, width, wrapped};

/// A line below a finding.
pub(crate) struct Row {
    /// What it is about, as a reader sees it.
    pub(crate) label: &'static str,
    pub(crate) value: String,
    pub(crate) words: String,
}

/// Where the columns of the lines below a finding begin, and whether words may run on to a line of
/// their own.
pub(crate) struct Columns {
    label: usize,
    value: usize,
}

/// From this width on, the longest words fit beside their value.
const ROOMY: usize = 128;

impl Columns {
    pub(crate) fn of(style: Style) -> Self {
        if style.columns() >= ROOMY {
            Columns {
                label: 25,
                value: 25,
            }
        } else {
            Columns {
                label: 14,
                value: 25,
            }
        }
    }

    /// `  as shipped    0.925 [0.921, 0.929]  better than…`, the words wrapped in their own column.
    pub(crate) fn lines(&self, style: Style, row: &Row) -> Vec<String> {
        let begin = format!(
            "  {}{}",
            padded(row.label, self.label),
            padded(&row.value, self.value)
        );
        let begin = if width(&row.value) < self.value {
            begin
        } else {
            format!("{begin}  ")
        };
        let hanging = " ".repeat(2 + self.label + self.value);
        wrapped(&row.words, style.columns(), &begin, &hanging)
    }
}
