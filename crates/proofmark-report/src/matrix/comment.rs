//! A matrix as a comment on a pull request: what its claims are worth, or how the builds stand
//! against the first baseline, and the table.

use proofmark_terms::CellIndex;

use super::markdown::markdown;
use super::notes::{lacking, warnings_in_words};
use super::rows::suite;
use super::{MatrixView, claims, guards};
use crate::comment::{EvidenceFile, Parts, grid};
use crate::comparison::comment::counts;
use crate::number::{counted, setting};
use crate::style::Tone;
use crate::text::printable;
use crate::warning::Said;
use crate::wording::{comparatives_of, metrics_in_full, say_tone};

/// A matrix as a comment (GitHub's Markdown); ends with a line feed.
#[must_use]
pub fn comment(matrix: &MatrixView<'_>, file: &EvidenceFile) -> String {
    let claimed = claims::lines(matrix);
    let mut warnings: Vec<String> = claims::outliers(matrix);
    let broken = guards::lines(matrix).into_iter();
    let broken = broken.filter(|guard| guard.tone != Tone::Better);
    warnings.extend(broken.map(|guard| format!("{} — {}", guard.claim, guard.said)));
    warnings.extend(lacking(matrix));
    let remarks = warnings_in_words(matrix).into_iter();
    warnings.extend(remarks.map(|Said { found, .. }| found));
    let answer = match claimed.as_slice() {
        [] => against_first(matrix),
        [first, more @ ..] => {
            // A claim that fails may not be hidden by one that holds.
            let worst = more.iter().filter(|one| one.tone != Tone::Better);
            let shown = worst.fold(first, |shown, one| match shown.tone {
                Tone::Better => one,
                _ => shown,
            });
            let more = match more.len() {
                0 => String::new(),
                more => format!("and {more} more below"),
            };
            (format!("{} — {}", shown.claim, shown.said), more)
        }
    };
    let suite = suite(matrix);
    // A long title would widen the column, and break the lines of the others.
    let first = std::iter::once("build".to_owned());
    let header: Vec<String> = first.chain(suite.header.iter().cloned()).collect();
    let parts = Parts {
        kind: "matrix",
        about: about(matrix),
        answer,
        table: grid(4, &header, &suite.rows),
        believe: believe(matrix),
        warnings,
        folded: markdown(matrix, None).lines().map(str::to_owned).collect(),
    };
    crate::comment::comment(&parts, file)
}

fn about(matrix: &MatrixView<'_>) -> String {
    let members = matrix.members().map(|member| matrix.member(member));
    let cells = matrix.run.cells.iter().map(|cell| printable(cell));
    members.chain(cells).collect::<Vec<String>>().join("\n")
}

/// How many cells are better or worse than the first baseline.
fn against_first(matrix: &MatrixView<'_>) -> (String, String) {
    let base = matrix.run.baselines.first().copied();
    let base = base.unwrap_or(CellIndex(0));
    let cells: Vec<CellIndex> = matrix.cells().filter(|&cell| cell != base).collect();
    let tones: Vec<Tone> = cells
        .iter()
        .filter_map(|&cell| matrix.suite(cell, base))
        .map(|effect| say_tone(effect.verdict))
        .collect();
    let metrics = || matrix.members().map(|member| matrix.metric(member));
    let mut found = counts(&tones, comparatives_of(metrics()));
    let without = cells.len() - tones.len();
    if without > 0 {
        found.push_str(&format!(", {without} without a figure"));
    }
    let answer = format!(
        "{} against {}: {}",
        counted(
            u32::try_from(cells.len()).unwrap_or(u32::MAX),
            "build",
            "builds"
        ),
        matrix.cell(base),
        found.trim_start_matches(", ")
    );
    (answer, metrics_in_full(metrics()))
}

fn believe(matrix: &MatrixView<'_>) -> String {
    format!(
        "the intervals, which hold together with {} confidence, on this machine and for {}; {} \
         blocks; a gain against one baseline alone says little",
        setting(matrix.conclusion.confidence),
        match matrix.benchmarks() {
            1 => matrix.heading(),
            several => format!("the geometric mean of {several} benchmarks"),
        },
        matrix.conclusion.blocks
    )
}
