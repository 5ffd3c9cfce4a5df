//! A matrix on a terminal: the table first, then what makes it believable.

use super::table::{Grid, by_benchmark, in_full, suite};
use super::{Matrix, claims, code, scale};
use crate::number::{duration, rfc3339, setting};
use crate::style::{Style, Tone};
use crate::table::table;
use crate::text::{printable, untied, wrapped};

/// A matrix for a terminal; ends with a line feed. With a baseline, every benchmark against it,
/// with intervals; otherwise the geometric mean against each baseline, and the benchmarks against
/// the main one.
#[must_use]
pub fn matrix_terminal(matrix: &Matrix<'_>, baseline: Option<u32>, style: &Style) -> String {
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

/// Claims and outliers.
fn said(matrix: &Matrix<'_>, style: Style) -> Vec<String> {
    let mut lines = Vec::new();
    let found = claims::lines(matrix);
    for claim in &found {
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
fn aside(matrix: &Matrix<'_>, style: Style) -> Vec<String> {
    let mut lines = Vec::new();
    let mut note = |text: &str| {
        let text = wrapped(text, style.columns(), "! ", "  ");
        lines.extend(text.iter().map(|line| style.paint(Tone::Open, line)));
    };
    for text in lacking(matrix) {
        note(&text);
    }
    for warning in &matrix.conclusion.warnings {
        let text = if warning.remedy.is_empty() {
            warning.found.clone()
        } else {
            format!("{}; {}", warning.found, warning.remedy)
        };
        note(&printable(&text));
    }
    lines
}

/// Cells that are out of a benchmark, that have no build, or that break expectations.
pub(super) fn lacking(matrix: &Matrix<'_>) -> Vec<String> {
    let first = |why: &str| printable(why.lines().next().unwrap_or_default());
    let out = matrix.conclusion.out.iter().map(|out| {
        let (cell, member) = (matrix.cell(out.cell), matrix.member(out.member));
        format!("{cell} is out of {member}: {}", first(&out.why))
    });
    let unbuilt = matrix.conclusion.asked.unbuilt.iter().map(|unbuilt| {
        let cell = printable(&unbuilt.cell);
        let baseline = if unbuilt.baseline {
            ", a baseline,"
        } else {
            ""
        };
        let unjudged = unbuilt
            .claims
            .iter()
            .map(|claim| format!("; claim {} is not judged", printable(claim)));
        let unjudged: String = unjudged.collect();
        format!(
            "{cell}{baseline} has no build: {}{unjudged}",
            first(&unbuilt.why)
        )
    });
    out.chain(unbuilt)
        .chain(code::broken(matrix))
        .chain(scale::of_one_size(matrix))
        .chain(scale::crooked(matrix))
        .collect()
}

/// What the figures rest on.
fn basis(matrix: &Matrix<'_>, baseline: Option<u32>, style: Style) -> Vec<String> {
    wrapped(&rests_on(matrix, baseline), style.columns(), "", "")
        .iter()
        .map(|line| style.paint(Tone::Aside, line))
        .collect()
}

/// Blocks, confidence, layouts, time, and the name. A yardstick that is none of the baselines is
/// beside what holds together.
pub(super) fn rests_on(matrix: &Matrix<'_>, baseline: Option<u32>) -> String {
    use proofmark_evidence::record::LayoutControl;
    let conclusion = matrix.conclusion;
    let fewest = conclusion.suite.iter().map(|one| one.blocks).min();
    let blocks = match fewest {
        Some(fewest) if fewest < conclusion.blocks => format!("{fewest} to {}", conclusion.blocks),
        _ => conclusion.blocks.to_string(),
    };
    let layouts = matrix
        .experiments
        .first()
        .map_or("", |experiment| match experiment.layouts {
            LayoutControl::Matched { .. } | LayoutControl::Jittered { .. } => "matched layouts",
            LayoutControl::Independent { .. } => "layouts of each build on its own",
            LayoutControl::AsShipped { .. } => "placement not varied",
        });
    let margin = matrix
        .experiments
        .first()
        .map_or(0.01, |experiment| experiment.design.margin.relative());
    let beside = baseline
        .filter(|baseline| !matrix.run.baselines.contains(baseline))
        .map_or_else(String::new, |baseline| {
            let cell = matrix.cell(baseline);
            format!(" ({cell} is no baseline of it: each interval against it is as wide as one of these, and beside them)")
        });
    format!(
        "matrix {}: {blocks} blocks, {layouts}; all intervals of the table hold together with {} confidence, all of the single benchmarks likewise{beside}; equivalent: within ±{}; {} of measuring, begun {}",
        matrix.id.short(),
        setting(conclusion.confidence),
        setting(margin),
        duration(conclusion.took_ms),
        rfc3339(matrix.run.began_ms)
    )
}
