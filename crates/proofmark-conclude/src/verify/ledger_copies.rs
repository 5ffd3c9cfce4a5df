//! What a ledger copies of its matrices: gates, guards, warnings, builds that are none, and who
//! raced. It is held against what the matrix in the same file says.

use proofmark_evidence::RecordedMatrix;
use proofmark_evidence::record::{
    Asked, GateFound, LedgerAsked, LedgerBuild, LedgerRun, MatrixConclusion, Warning,
};
use proofmark_terms::CellIndex;

use super::found::Finding;
use super::matrix::follows;
use super::numbers::{compared, is_same_text};
use crate::{ConcludeError, MatrixEvidence};

/// The warnings that the figures of a run have to be read with, as its matrix has them.
///
/// # Errors
///
/// Where gates, guards, warnings, or builds that are none are not those of the matrix, or are those
/// of a conclusion that does not follow from its blocks.
pub(super) fn warnings(
    run: &LedgerRun,
    recorded: &RecordedMatrix,
    evidence: &MatrixEvidence<'_>,
) -> Result<Vec<Warning>, ConcludeError> {
    let mut told = "is not concluded";
    for conclusion in conclusions(recorded) {
        // The last one is looked at with the matrix.
        let is_last = recorded.conclusion.as_ref() == Some(conclusion);
        match otherwise(run, recorded, conclusion) {
            None if is_last || follows(evidence, conclusion) => {
                return Ok(conclusion.warnings.clone());
            }
            None => told = "was concluded otherwise than its blocks say",
            Some(why) => told = why,
        }
    }
    Err(ConcludeError::Design(format!("the matrix of a run {told}")))
}

/// Whether these cells raced.
///
/// # Errors
///
/// Where others did.
pub(super) fn raced(
    cells: impl IntoIterator<Item = CellIndex>,
    recorded: &RecordedMatrix,
) -> Result<(), ConcludeError> {
    let cells: Vec<CellIndex> = cells.into_iter().collect();
    if conclusions(recorded).any(|one| one.asked.race == cells) {
        return Ok(());
    }
    let why = "the ideas of a race are not the cells that raced in its matrix";
    Err(ConcludeError::Design(why.to_owned()))
}

/// What was concluded of a matrix, the first one first. The same blocks may have been asked again,
/// by other gates: each entry of a ledger copies what was the last then.
fn conclusions(recorded: &RecordedMatrix) -> impl Iterator<Item = &MatrixConclusion> {
    recorded.earlier.iter().chain(&recorded.conclusion)
}

/// What a conclusion says otherwise.
fn otherwise(
    run: &LedgerRun,
    recorded: &RecordedMatrix,
    conclusion: &MatrixConclusion,
) -> Option<&'static str> {
    let (asked, said) = (&conclusion.asked, &run.asked);
    let same_warnings = matches!(
        compared(&run.warnings, &conclusion.warnings),
        Finding::AsClaimed { .. }
    );
    match () {
        () if !are_gates(&said.builds, &asked.gates) => Some("has other gates"),
        () if !are_unbuilt(&said.builds, asked) => Some("has other builds that are none"),
        () if !are_guards(said, recorded, asked) => Some("has other guards"),
        () if !same_warnings => Some("has other warnings"),
        () => None,
    }
}

/// Whether builds have the gates of a matrix, each build its own.
fn are_gates(builds: &[LedgerBuild], gates: &[GateFound]) -> bool {
    let said = || builds.iter().flat_map(|build| &build.gates);
    let own = |build: &LedgerBuild| {
        let mut gates = build.gates.iter();
        gates.all(|gate| is_same_text(&gate.cell, &build.name))
    };
    said().count() == gates.len()
        && builds.iter().all(own)
        && said().all(|one| gates.iter().any(|other| is_same_gate(one, other)))
        && gates
            .iter()
            .all(|one| said().any(|other| is_same_gate(one, other)))
}

fn is_same_gate(one: &GateFound, other: &GateFound) -> bool {
    let are_same = |one: &[String], other: &[String]| {
        let mut both = one.iter().zip(other);
        one.len() == other.len() && both.all(|(one, other)| is_same_text(one, other))
    };
    one.passed == other.passed
        && is_same_text(&one.gate, &other.gate)
        && is_same_text(&one.cell, &other.cell)
        && is_same_text(&one.said, &other.said)
        && are_same(&one.differs, &other.differs)
        && are_same(&one.flaky, &other.flaky)
}

/// Whether the builds that are none are the cells without one, for the same reasons.
fn are_unbuilt(builds: &[LedgerBuild], asked: &Asked) -> bool {
    let none: Vec<&LedgerBuild> = builds.iter().filter(|one| one.cell.is_none()).collect();
    none.len() == asked.unbuilt.len()
        && asked.unbuilt.iter().all(|cell| {
            none.iter().any(|build| {
                let why = build.why.as_deref().unwrap_or_default();
                is_same_text(&build.name, &cell.cell) && is_same_text(why, &cell.why)
            })
        })
}

/// Whether benchmarks are guards that were guards of the matrix, by as much.
fn are_guards(said: &LedgerAsked, recorded: &RecordedMatrix, asked: &Asked) -> bool {
    let mut both = said.benchmarks.iter().zip(&recorded.run.members);
    both.all(|(one, member)| {
        let mut guards = asked.guards.iter();
        let guard = guards.find(|guard| is_same_text(&guard.benchmark, &member.benchmark));
        one.guard == guard.map(|guard| guard.most)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_evidence::record::Unbuilt;

    fn build(name: &str, cell: Option<CellIndex>, why: Option<&str>) -> LedgerBuild {
        LedgerBuild {
            name: name.to_owned(),
            ideas: vec![name.to_owned()],
            cell,
            why: why.map(str::to_owned),
            gates: Vec::new(),
            files: Vec::new(),
        }
    }

    #[test]
    fn a_build_that_is_none_is_one_of_the_matrix_for_its_reason() {
        let asked = Asked {
            unbuilt: vec![Unbuilt {
                cell: "wrong".to_owned(),
                why: "gate `tests` fails".to_owned(),
                baseline: false,
                main: false,
                claims: Vec::new(),
            }],
            ..Asked::default()
        };
        let base = || build("base", Some(CellIndex(0)), None);
        let wrong = |why: &str| build("wrong", None, Some(why));
        assert!(are_unbuilt(&[base(), wrong("gate `tests` fails")], &asked));
        for builds in [
            vec![base()],
            vec![base(), wrong("it does not build")],
            vec![
                base(),
                wrong("gate `tests` fails"),
                build("invented", None, Some("gate `tests` fails")),
            ],
        ] {
            assert!(!are_unbuilt(&builds, &asked), "{builds:?}");
        }
    }
}
