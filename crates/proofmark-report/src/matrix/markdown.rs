//! A matrix for a pull request: the table, then the rest folded.

use proofmark_terms::CellIndex;

use super::notes::{lacking, rests_on, trees, warnings_in_words};
use super::rows::{Grid, by_benchmark, in_full, suite};
use super::{MatrixView, claims, code, guards, scale};
use crate::markup::escaped;
use crate::method::left_out;
use crate::text::untied;
use crate::warning::Said;

/// A matrix as Markdown (GitHub's); ends with a line feed. With a baseline, every benchmark against
/// it comes first.
#[must_use]
pub fn markdown(matrix: &MatrixView<'_>, baseline: Option<CellIndex>) -> String {
    let given = baseline.map(|baseline| vec![baseline]);
    let baselines = given.as_ref().unwrap_or(&matrix.run.baselines);
    let full = baseline.map(|baseline| in_full(matrix, baseline));
    let mut lines: Vec<String> = full.iter().flat_map(grid).collect();
    lines.extend(grid(&with_code(matrix)));
    for claim in claims::lines(matrix)
        .into_iter()
        .chain(guards::lines(matrix))
    {
        let (claim, said) = (escaped(&claim.claim), escaped(&claim.said));
        lines.push(format!("**{claim}** — {said}"));
        lines.push(String::new());
    }
    for outlier in claims::outliers(matrix) {
        lines.extend([escaped(&outlier), String::new()]);
    }
    for text in lacking(matrix) {
        lines.extend([format!("> ⚠ {}", escaped(&text)), String::new()]);
    }
    for Said { found, remedy } in warnings_in_words(matrix) {
        let mut text = format!("> ⚠ {}", escaped(&found));
        if !remedy.is_empty() {
            text.push_str(&format!(" → {}", escaped(&remedy)));
        }
        lines.extend([text, String::new()]);
    }
    lines.extend(
        [
            "<details><summary>Benchmarks, and how this was measured</summary>",
            "",
        ]
        .map(str::to_owned),
    );
    if matrix.run.members.len() > 1 {
        lines.extend(by_benchmark(matrix).iter().flat_map(grid));
    }
    lines.extend(scale::tables(matrix, baselines).iter().flat_map(grid));
    for text in trees(matrix)
        .into_iter()
        .chain([rests_on(matrix, baseline)])
    {
        lines.extend([escaped(&text), String::new()]);
    }
    if let Some(private) = left_out(matrix.private) {
        lines.extend([escaped(private), String::new()]);
    }
    lines.push("</details>".to_owned());
    untied(&(lines.join("\n") + "\n"))
}

/// The suite's table with the machine code beside it: there is no width to keep to.
fn with_code(matrix: &MatrixView<'_>) -> Grid {
    let mut table = suite(matrix);
    if let Some(code) = code::table(matrix) {
        table.header.extend(code.header);
        for (row, more) in table.rows.iter_mut().zip(code.rows) {
            row.extend(more.into_iter().skip(1));
        }
    }
    table
}

fn grid(of: &Grid) -> Vec<String> {
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row.iter().map(|text| escaped(text)).collect();
        format!("| {} |", cells.join(" | "))
    };
    let first = std::iter::once(of.title.clone());
    let header: Vec<String> = first.chain(of.header.iter().cloned()).collect();
    let rule = format!("|{}", " --- |".repeat(header.len()));
    std::iter::once(line(&header))
        .chain([rule])
        .chain(of.rows.iter().map(line))
        .chain([String::new()])
        .collect()
}
