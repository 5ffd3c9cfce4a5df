//! Ideas that race: for little time, until one is left that may be the best.

use proofmark_conclude::ledger::conclude_race;
use proofmark_evidence::LedgerId;
use proofmark_evidence::record::LedgerEvent;
use proofmark_terms::CellIndex;

use super::book::{add, taken_up};
use super::run::{LedgerRequest, refuse_doubt, warnings_of};
use crate::error::LabError;
use crate::laboratory::Laboratory;
use crate::matrix::{load_matrix, run_matrix};
use crate::observer::Observer;

/// Has ideas race, or goes on where it was interrupted, and adds who stays. Nothing is asked of the
/// error budget. Gives back whether it was added.
///
/// # Errors
///
/// When fewer than two of them have a build; whatever stops all builds alike.
pub fn screen(
    laboratory: &mut Laboratory<'_>,
    mut request: LedgerRequest,
    observer: &mut dyn Observer,
) -> Result<(LedgerId, bool), LabError> {
    let mut book = taken_up(laboratory.store, &request.name, request.rate)?;
    let asked = &request.asked;
    let ideas = asked.ideas.iter().map(|idea| {
        let place = usize::try_from(idea.with).unwrap_or(usize::MAX);
        let build = asked.builds.get(place);
        let (cell, why) = build.map_or((None, None), |build| (build.cell, build.why.clone()));
        (idea.name.clone(), cell, why)
    });
    let ideas: Vec<(String, Option<CellIndex>, Option<String>)> = ideas.collect();
    let race: Vec<CellIndex> = ideas.iter().filter_map(|(_, cell, _)| *cell).collect();
    if race.len() < 2 {
        if request.matrix.asked.gates.iter().any(|gate| !gate.passed) {
            return Err(LabError::Gated(
                "gates leave fewer than two ideas to race\n  next: mend what fails, or \
                 `proofmark ledger run` measures the one that passes"
                    .to_owned(),
            ));
        }
        return Err(LabError::Refused(
            "a race of fewer than two ideas that have a build has no winner\n  next: \
             `proofmark ledger run` measures one idea"
                .to_owned(),
        ));
    }
    request.matrix.asked.race = race;
    let matrix = run_matrix(laboratory, &request.matrix, observer)?;
    let known = book
        .entries
        .iter()
        .any(|entry| matches!(&entry.of, LedgerEvent::Screened { race } if race.matrix == matrix));
    if known {
        return Ok((book.id, false));
    }
    let measured = load_matrix(laboratory.store, matrix.as_str())?;
    refuse_doubt("nobody wins this race", &warnings_of(&measured))?;
    let race = conclude_race(&measured.evidence(), matrix, ideas)?;
    let event = LedgerEvent::Screened {
        race: Box::new(race),
    };
    add(laboratory.store, &mut book, event)?;
    Ok((book.id, true))
}
