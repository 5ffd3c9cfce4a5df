//! The table of functions.

use proofmark_code::{Fact, Program, Row};

use crate::number::grouped;
use crate::style::{Style, Tone};
use crate::text::{padded, printable, shortened};

/// The facts that the table always shows, with the heads of their columns.
const COLUMNS: [(Fact, &str); 8] = [
    (Fact::Bytes, "bytes"),
    (Fact::Instructions, "instr"),
    (Fact::Loops, "loops"),
    (Fact::IndirectJumps, "ind.jumps"),
    (Fact::IndirectCalls, "ind.calls"),
    (Fact::DirectCalls, "calls"),
    (Fact::TailCalls, "tails"),
    (Fact::VectorBits, "vector"),
];

/// A table of functions, the first `most` of them, with the sum below it.
#[must_use]
pub fn functions(
    program: &Program,
    rows: &[Row<'_>],
    sorted: Fact,
    most: usize,
    style: &Style,
) -> String {
    let mut columns: Vec<(Fact, &str)> = COLUMNS.to_vec();
    if !columns.iter().any(|c| c.0 == sorted) {
        columns.push((sorted, sorted.name()));
    }
    let several = program.images().len() > 1;
    let shown = &rows[..rows.len().min(most)];
    let cells: Vec<Vec<String>> = shown
        .iter()
        .map(|row| columns.iter().map(|c| cell(row, c.0)).collect())
        .collect();
    let widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(i, c)| {
            cells
                .iter()
                .map(|r| r[i].len())
                .chain([c.1.len()])
                .max()
                .unwrap_or(0)
        })
        .collect();
    let used: usize = widths.iter().map(|w| w + 2).sum::<usize>() + 12;
    let room = style.columns().saturating_sub(used).max(24);
    let mut text = head(&columns, &widths, style);
    for (row, cells) in shown.iter().zip(&cells) {
        for (i, cell) in cells.iter().enumerate() {
            let aligned = format!("{cell:>width$}  ", width = widths[i]);
            text.push_str(&if columns[i].0 == sorted {
                style.paint(Tone::Figure, &aligned)
            } else {
                aligned
            });
        }
        let address = row.image.shown(row.function().address());
        text.push_str(&padded(&format!("{:x}", address.get()), 10));
        text.push_str("  ");
        text.push_str(&shortened(&name(row, several), room));
        text.push('\n');
    }
    text.push_str(&style.paint(Tone::Aside, &foot(program, rows, shown.len(), sorted)));
    text
}

fn head(columns: &[(Fact, &str)], widths: &[usize], style: &Style) -> String {
    let mut text = String::new();
    for (column, width) in columns.iter().zip(widths) {
        text.push_str(&format!("{:>width$}  ", column.1));
    }
    text.push_str(&padded("address", 10));
    text.push_str("  function");
    style.paint(Tone::Aside, &text) + "\n"
}

fn cell(row: &Row<'_>, fact: Fact) -> String {
    match row.facts.get(fact) {
        0 => "·".to_string(),
        number => grouped(number),
    }
}

/// The name, with the archive's member where there are several, and the function that a part was split off from.
fn name(row: &Row<'_>, several: bool) -> String {
    let name = printable(&row.function().name());
    match row.image.member().filter(|_| several) {
        Some(member) => format!("{name} ({})", printable(member)),
        None => name,
    }
}

fn foot(program: &Program, rows: &[Row<'_>], shown: usize, sorted: Fact) -> String {
    let code: u64 = program
        .images()
        .iter()
        .map(proofmark_code::Image::code_bytes)
        .sum();
    let arch = program.images().first().map_or("", |i| i.arch().name());
    let bytes: u64 = rows.iter().map(|r| r.facts.get(Fact::Bytes)).sum();
    let mut text = format!(
        "{} functions, {} bytes",
        grouped(rows.len() as u64),
        grouped(bytes)
    );
    if bytes != code {
        text.push_str(&format!(" of {} bytes of code", grouped(code)));
    }
    text.push_str(&format!(", {arch}"));
    if shown < rows.len() {
        text.push_str(&format!(
            "; the first {shown} by {sorted} are shown, --all shows all"
        ));
    }
    text + "\n"
}
