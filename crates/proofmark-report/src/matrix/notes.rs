//! What is said of a matrix beside its tables: what is lacking, and what the figures rest on.

use std::collections::BTreeSet;

use proofmark_evidence::record::{Drawing, LayoutControl, Tree, Warning};
use proofmark_terms::{CellIndex, MemberIndex};

use super::{MatrixView, code, scale};
use crate::gates;
use crate::method::trees_of;
use crate::number::{duration, rfc3339, setting};
use crate::text::printable;
use crate::warning::{Said, in_words_of_matrix};

/// Cells that are out of a benchmark, that have no build, that fail gates, or that break
/// expectations.
pub(super) fn lacking(matrix: &MatrixView<'_>) -> Vec<String> {
    let first = |why: &str| printable(&sentence(why));
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
        let gates = &matrix.conclusion.asked.gates;
        let gated = gates
            .iter()
            .any(|one| !one.passed && one.cell == unbuilt.cell);
        let is = if gated {
            "is not timed"
        } else {
            "has no build"
        };
        format!("{cell}{baseline} {is}: {}{unjudged}", first(&unbuilt.why))
    });
    out.chain(unbuilt)
        .chain(gates::failing(&matrix.conclusion.asked.gates))
        .chain(code::broken(matrix))
        .chain(scale::of_one_size(matrix))
        .chain(scale::crooked(matrix))
        .collect()
}

/// What must be known before the numbers are believed, each with the benchmarks that it is about.
/// What is said of several benchmarks in the same words is said once.
pub(super) fn warnings_in_words(matrix: &MatrixView<'_>) -> Vec<Said> {
    let mut all: Vec<(Said, Vec<MemberIndex>)> = Vec::new();
    for (at, warning) in matrix.conclusion.warnings.iter().enumerate() {
        let said = in_words_of_matrix(warning);
        // It names its benchmark itself.
        let named = matches!(warning, Warning::SumsApart(_));
        let about = matrix.warned.get(at).filter(|_| !named);
        let about = about.cloned().unwrap_or_default();
        match all.iter_mut().find(|(known, _)| *known == said) {
            Some((_, members)) => members.extend(about),
            None => all.push((said, about)),
        }
    }
    let in_words = |(said, mut members): (Said, Vec<MemberIndex>)| {
        members.sort_unstable();
        members.dedup();
        let found = about(matrix, &members) + &said.found;
        Said { found, ..said }
    };
    all.into_iter().map(in_words).collect()
}

/// Most benchmarks that a warning names.
const NAMED: usize = 3;

/// What a warning begins with that is about these members; nothing where that is all of them.
fn about(matrix: &MatrixView<'_>, members: &[MemberIndex]) -> String {
    if members.is_empty() || members.len() == matrix.run.members.len() {
        return String::new();
    }
    let names = members.iter().take(NAMED);
    let names: Vec<String> = names.map(|member| matrix.member(*member)).collect();
    let more = match members.len() - names.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}: ", names.join(", "))
}

/// The first line of a reason, with what it announces by a colon at its end.
fn sentence(why: &str) -> String {
    let mut said = String::new();
    for line in why.lines().map(str::trim) {
        if !said.is_empty() {
            said.push(' ');
        }
        said.push_str(line);
        if !line.ends_with(':') {
            break;
        }
    }
    said
}

/// In which files that their runs read cells differ from the first one.
pub(super) fn trees(matrix: &MatrixView<'_>) -> Vec<String> {
    let differs = |tree: &Tree| !tree.changes.is_empty();
    let all = matrix.experiments.iter();
    let mut trees: Vec<String> = all.flat_map(|of| trees_of(of, differs)).collect();
    let mut known = BTreeSet::new();
    trees.retain(|said| known.insert(said.clone()));
    trees
}

/// Blocks, confidence, layouts, time, and the name. A yardstick that is none of the baselines is
/// beside what holds together.
pub(super) fn rests_on(matrix: &MatrixView<'_>, baseline: Option<CellIndex>) -> String {
    let conclusion = matrix.conclusion;
    let fewest = conclusion.suite.iter().map(|one| one.blocks).min();
    let blocks = match fewest {
        Some(fewest) if fewest < conclusion.blocks => format!("{fewest} to {}", conclusion.blocks),
        _ => conclusion.blocks.to_string(),
    };
    let layouts = matrix
        .experiments
        .first()
        .map_or("", |experiment| match &experiment.layouts {
            LayoutControl::Drawn { how, .. } => match how {
                Drawing::Matched | Drawing::Jittered | Drawing::Inside => "matched layouts",
                Drawing::Independent { .. } => "layouts of each build on its own",
            },
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
            format!(" ({cell} is not one of its baselines: an interval against it is as wide as these, but is not among those that hold together)")
        });
    let gates = gates::passed(&conclusion.asked.gates, &matrix.run.cells);
    let gates = gates.map_or_else(String::new, |gates| format!("; {gates}"));
    format!(
        "matrix {}: {blocks} blocks, {layouts}{gates}; the intervals of the table hold together with {} confidence, and so do those of the single benchmarks{beside}; equivalent: within ±{}; {} of measuring, begun {}",
        matrix.id.short(),
        setting(conclusion.confidence),
        setting(margin),
        duration(conclusion.took_ms),
        rfc3339(matrix.run.began_ms)
    )
}

#[cfg(test)]
mod tests {
    use super::sentence;

    #[test]
    fn a_reason_is_said_with_what_its_first_line_announces() {
        let unseen = "1 object was not seen being compiled:\n  m2.o: made by ld -r\n  next: x";
        let said = "1 object was not seen being compiled: m2.o: made by ld -r";
        assert_eq!(sentence(unseen), said);
        assert_eq!(
            sentence("the build failed\n  next: mend it"),
            "the build failed"
        );
        assert_eq!(sentence("nothing follows:"), "nothing follows:");
    }
}
