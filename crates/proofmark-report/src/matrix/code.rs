//! Facts and expectations of the machine code, a column each.

use proofmark_evidence::record::{CellCode, FactFound};
use proofmark_terms::CellIndex;

use super::MatrixView;
use super::rows::Grid;
use crate::text::printable;

/// A row for each cell; `None` where nothing was asked of the machine code.
pub(crate) fn table(matrix: &MatrixView<'_>) -> Option<Grid> {
    let conclusion = matrix.conclusion;
    if conclusion.code.is_empty() {
        return None;
    }
    let expected = conclusion.asked.expectations.is_some();
    let mut header: Vec<String> = conclusion
        .asked
        .facts
        .iter()
        .map(|fact| heading(fact))
        .collect();
    header.extend(expected.then(|| "expectations".to_owned()));
    let row = |(cell, code): (CellIndex, &CellCode)| {
        let name = matrix.cell(cell);
        let facts = code.facts.iter().map(fact);
        let expected = code.expectations.as_ref().map(|found| {
            if found.broken.is_empty() {
                format!("{} hold", found.held)
            } else {
                format!("{} broken", found.broken.len())
            }
        });
        std::iter::once(name).chain(facts).chain(expected).collect()
    };
    Some(Grid {
        title: "machine code, as shipped".to_owned(),
        header,
        rows: matrix.cells().zip(&conclusion.code).map(row).collect(),
    })
}

/// `run:indirect_jumps` as `indirect jumps in run`.
fn heading(fact: &str) -> String {
    match fact.rsplit_once(':') {
        Some((function, fact)) => printable(&format!("{} in {function}", fact.replace('_', " "))),
        None => printable(fact),
    }
}

fn fact(found: &FactFound) -> String {
    match found {
        FactFound::Counted { value } => value.to_string(),
        FactFound::Unavailable { why } => printable(why),
    }
}

/// The expectations that are broken, a line each.
pub(crate) fn broken(matrix: &MatrixView<'_>) -> Vec<String> {
    let of = |(cell, code): (CellIndex, &CellCode)| {
        let broken = code
            .expectations
            .iter()
            .flat_map(|found| found.broken.clone());
        let name = matrix.cell(cell);
        broken
            .map(|broken| format!("{name}: {}", printable(&broken)))
            .collect::<Vec<_>>()
    };
    let all = matrix.cells().zip(&matrix.conclusion.code);
    all.flat_map(of).collect()
}
