//! Ideas and stacks measured side by side, and written down.

use proofmark_conclude::ledger::conclude_run;
use proofmark_evidence::record::{GateFound, LedgerAsked, LedgerEvent, Warning, WorkInDoubt};
use proofmark_evidence::{LedgerId, RecordedLedger};
use proofmark_project::{BuildOutcome, BuiltCell, LedgerPlan, Project};

use super::asked::asked;
use super::book::{add, taken_up};
use crate::error::LabError;
use crate::laboratory::Laboratory;
use crate::matrix::{
    MatrixCode, MatrixDesign, MatrixRequest, MatrixUnderWay, load_matrix, run_matrix,
};
use crate::observer::Observer;

/// A run of a ledger.
#[derive(Debug)]
pub struct LedgerRequest {
    /// The ledger's name.
    pub name: String,
    /// The share of false findings that it promises not to exceed.
    pub rate: f64,
    /// What is asked of the builds.
    pub asked: LedgerAsked,
    /// The matrix of those that are there.
    pub matrix: MatrixRequest,
}

impl LedgerRequest {
    /// The run of a plan: `cells` is the project whose cells are the builds of the plan, and
    /// `built` what was made of them and passes its gates, which said `gates`.
    ///
    /// # Errors
    ///
    /// When base has no build, a capture lacks its image, or a file cannot be read.
    pub fn of(
        project: &Project,
        plan: &LedgerPlan,
        cells: &Project,
        built: &[BuiltCell],
        gates: Vec<GateFound>,
        design: MatrixDesign,
    ) -> Result<Self, LabError> {
        if let Some(BuildOutcome::Failed(failure)) = built.first().map(|base| &base.outcome) {
            return Err(LabError::Refused(format!(
                "base cannot be measured, so that there is nothing to hold ideas against: {}",
                failure.why
            )));
        }
        let matrix = MatrixRequest::of_project(cells, built, MatrixCode::default(), gates, design)?;
        Ok(LedgerRequest {
            name: project.ledger_name(),
            rate: project.ledger.rate,
            asked: asked(project, plan, built, &matrix)?,
            matrix,
        })
    }
}

/// What must be known before the figures of a matrix are believed.
pub(super) fn warnings_of(measured: &MatrixUnderWay) -> Vec<Warning> {
    let conclusion = measured.conclusion.as_ref();
    conclusion.map_or_else(Vec::new, |conclusion| conclusion.warnings.clone())
}

/// What does nothing is fast: no claim is confirmed by it, and it wins no race. `what` says what is
/// refused.
pub(super) fn refuse_doubt(what: &str, warnings: &[Warning]) -> Result<(), LabError> {
    let doubt = warnings.iter().find_map(|warning| match warning {
        Warning::WorkInDoubt(doubt) => Some(doubt),
        _ => None,
    });
    let Some(WorkInDoubt {
        build,
        beside,
        share,
        ..
    }) = doubt
    else {
        return Ok(());
    };
    Err(LabError::Refused(format!(
        "{what}: `{build}` takes {:.1} % of what `{beside}` takes, and its output does not show \
         that it did the work\n  next: let the program print what it computed, and give the \
         command again",
        100.0 * share
    )))
}

/// An idea of these that was another change, or had no build, when it was measured last: of each
/// idea, tables have the last figures.
fn replaced<'a>(book: &RecordedLedger, asked: &'a LedgerAsked) -> Option<&'a str> {
    let last = |name: &str| {
        book.entries.iter().rev().find_map(|entry| match &entry.of {
            LedgerEvent::Measured { run } => run.asked.ideas.iter().find(|idea| idea.name == name),
            _ => None,
        })
    };
    let mut ideas = asked.ideas.iter();
    let other =
        ideas.find(|idea| last(&idea.name).is_some_and(|last| last.change != idea.change))?;
    Some(&other.name)
}

/// Measures a run, or goes on where it was interrupted, and adds it to its ledger. Gives back
/// whether it was added: what the ledger has already is not asked again.
///
/// # Errors
///
/// Whatever stops all builds alike; finished blocks are in the store. What the ledger has already,
/// where an idea was another change since.
pub fn run_ledger(
    laboratory: &mut Laboratory<'_>,
    request: &LedgerRequest,
    observer: &mut dyn Observer,
) -> Result<(LedgerId, bool), LabError> {
    let mut book = taken_up(laboratory.store, &request.name, request.rate)?;
    let matrix = run_matrix(laboratory, &request.matrix, observer)?;
    let known = book.entries.iter().any(|entry| match &entry.of {
        LedgerEvent::Measured { run } => {
            run.matrix == matrix && run.asked.is_same_question(&request.asked)
        }
        _ => false,
    });
    if known {
        return match replaced(&book, &request.asked) {
            None => Ok((book.id, false)),
            Some(idea) => Err(LabError::Refused(format!(
                "this was measured before, and `{idea}` was another change when it was measured \
                 last: the tables show that one\n  next: `--fresh` measures this one again"
            ))),
        };
    }
    let measured = load_matrix(laboratory.store, matrix.as_str())?;
    let run = conclude_run(
        &measured.evidence(),
        matrix,
        request.asked.clone(),
        &book.entries,
        book.ledger.rate,
        warnings_of(&measured),
    )?;
    let event = LedgerEvent::Measured { run: Box::new(run) };
    add(laboratory.store, &mut book, event)?;
    Ok((book.id, true))
}
