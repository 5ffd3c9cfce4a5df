//! Tables on a terminal.

use comfy_table::{ColumnConstraint, ContentArrangement, Table, Width, presets};

use crate::style::Style;
use crate::text::untied;

/// From this width on, the first columns of a table stay whole, and only the others give way.
const WHOLE: usize = 80;

/// A table without rules, as wide as its content or as the terminal, whichever is less. Its first
/// `firm` columns are not broken, and the others not within words of usual length.
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
    let rows: Vec<Vec<String>> = rows.into_iter().collect();
    if style.columns() >= WHOLE {
        for (column, of) in table.column_iter_mut().enumerate() {
            if column < firm {
                of.set_constraint(ColumnConstraint::ContentWidth);
            } else if let Some(word) = longest_word(&rows, column) {
                let whole = Width::Fixed(word + PADDING);
                of.set_constraint(ColumnConstraint::LowerBoundary(whole));
            }
        }
    }
    table.add_rows(rows);
    table.lines().map(|line| untied(line.trim_end())).collect()
}

/// Words of so many characters are kept whole: intervals of many digits are, which are tied to one
/// word and were broken within a number. Shorter ones find room by themselves.
const LONG: std::ops::RangeInclusive<u16> = 21..=24;

/// Spaces at the sides of a column.
const PADDING: u16 = 2;

/// The longest word in a column, in characters, where it is long.
fn longest_word(rows: &[Vec<String>], column: usize) -> Option<u16> {
    let cells = rows.iter().filter_map(|row| row.get(column));
    let words = cells.flat_map(|cell| cell.split([' ', '\n']));
    let longest = u16::try_from(words.map(|word| word.chars().count()).max()?).ok()?;
    (longest >= *LONG.start()).then(|| longest.min(*LONG.end()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::TIE;

    #[test]
    fn a_number_is_not_broken() {
        let style = Style {
            colour: false,
            width: 80,
            terminal: false,
        };
        let interval = format!("2.0000{TIE}[2.0000,{TIE}2.0000]");
        let said = "2.000× higher (worse), as are its neighbours on both sides of it";
        let row = ["gcc12 mix", "t of 100000", said, interval.as_str(), "8"];
        let header = ["", "", "", "new/base", "blocks"];
        let lines = table(style, 1, &header, [row.map(str::to_owned).to_vec()]);
        let text = lines.join("\n");
        assert!(text.contains("2.0000 [2.0000, 2.0000]"), "{text}");
    }
}
