//! A matrix on a terminal: the table first, then what makes it believable.

use proofmark_terms::CellIndex;

use super::notes::{lacking, rests_on, trees, warnings_in_words};
use super::rows::{Grid, by_benchmark, in_full, suite};
use super::{MatrixView, claims, code, guards, scale};
use crate::method::left_out;
use crate::style::{Style, Tone};
use crate::table::table;
use crate::text::{printable, untied, wrapped};
use crate::warning::Said;

/// A matrix for a terminal; ends with a line feed. With a baseline, every benchmark against it,
/// with intervals; otherwise the geometric mean against each baseline, and the benchmarks against
/// the main one.
#[must_use]
pub fn terminal(matrix: &MatrixView<'_>, baseline: Option<CellIndex>, style: &Style) -> String {
    let mut sections: Vec<Vec<String>> = Vec::new();
    let given = baseline.map(|baseline| vec![baseline]);
    let baselines = given.as_ref().unwrap_or(&matrix.run.baselines);
    match baseline {
        Some(baseline) => sections.push(grid(&in_full(matrix, baseline), *style)),
        None => {
            sections.push(grid(&suite(matrix), *style));
            if matrix.run.members.len() > 1 {
                sections.extend(by_benchmark(matrix).iter().map(|one| grid(one, *style)));
            }
        }
    }
    let scales = scale::tables(matrix, baselines);
    sections.extend(scales.iter().map(|one| grid(one, *style)));
    sections.extend(code::table(matrix).map(|one| grid(&one, *style)));
    sections.push(said(matrix, *style));
    sections.push(aside(matrix, *style));
    sections.push(basis(matrix, baseline, *style));
    let shown = sections.iter().filter(|lines| !lines.is_empty());
    let text = shown.map(|lines| lines.join("\n")).collect::<Vec<_>>();
    untied(&(text.join("\n\n") + "\n"))
}

fn grid(of: &Grid, style: Style) -> Vec<String> {
    let first = std::iter::once("");
    let header: Vec<&str> = first.chain(of.header.iter().map(String::as_str)).collect();
    let rows = table(style, 1, &header, of.rows.iter().cloned());
    let title = wrapped(&of.title, style.columns(), "", "");
    title
        .iter()
        .map(|line| style.paint(Tone::Figure, line))
        .chain(rows)
        .collect()
}

/// Claims, guards and outliers.
fn said(matrix: &MatrixView<'_>, style: Style) -> Vec<String> {
    let mut lines = Vec::new();
    let found = claims::lines(matrix).into_iter();
    for claim in found.chain(guards::lines(matrix)) {
        lines.extend(wrapped(&claim.claim, style.columns(), "", "  "));
        let text = wrapped(&claim.said, style.columns(), "  ", "  ");
        lines.extend(text.iter().map(|line| style.paint(claim.tone, line)));
    }
    for outlier in claims::outliers(matrix) {
        lines.extend(wrapped(&outlier, style.columns(), "", "  "));
    }
    lines
}

/// What is lacking, and what must be known.
fn aside(matrix: &MatrixView<'_>, style: Style) -> Vec<String> {
    let mut lines = Vec::new();
    let mut note = |text: &str| {
        let text = wrapped(text, style.columns(), "! ", "  ");
        lines.extend(text.iter().map(|line| style.paint(Tone::Open, line)));
    };
    for text in lacking(matrix) {
        note(&text);
    }
    for Said { found, remedy } in warnings_in_words(matrix) {
        let text = if remedy.is_empty() {
            found
        } else {
            format!("{found}; {remedy}")
        };
        note(&printable(&text));
    }
    lines
}

/// What the figures rest on.
fn basis(matrix: &MatrixView<'_>, baseline: Option<CellIndex>, style: Style) -> Vec<String> {
    let private = left_out(matrix.private).map(str::to_owned);
    let said = trees(matrix)
        .into_iter()
        .chain([rests_on(matrix, baseline)]);
    let said = said.chain(private);
    said.flat_map(|text| wrapped(&text, style.columns(), "", ""))
        .map(|line| style.paint(Tone::Aside, &line))
        .collect()
}
