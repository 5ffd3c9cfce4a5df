//! A ledger computed again, from the blocks of its matrices.

use std::collections::BTreeMap;

use proofmark_evidence::record::{LedgerEvent, LedgerFigure, LedgerRace, LedgerRun};
use proofmark_evidence::{ChainSort, MatrixId, Recorded, RecordedLedger, Store, StoreError};

use proofmark_terms::CellIndex;

use super::found::{Finding, VerifiedChain};
use super::matrix::evidence;
use super::numbers::compared;
use crate::ledger::{conclude_race, conclude_run, confirmed};
use crate::{ConcludeError, MatrixEvidence};

/// What a ledger claims that follows from blocks.
#[derive(serde::Serialize)]
struct Claimed {
    runs: Vec<LedgerRun>,
    confirmed: Vec<Option<LedgerFigure>>,
    races: Vec<LedgerRace>,
}

pub(super) fn verified(
    recorded: &RecordedLedger,
    store: &Store,
) -> Result<VerifiedChain, StoreError> {
    let mut claimed = Claimed {
        runs: Vec::new(),
        confirmed: Vec::new(),
        races: Vec::new(),
    };
    let mut found: Result<Claimed, ConcludeError> = Ok(Claimed {
        runs: Vec::new(),
        confirmed: Vec::new(),
        races: Vec::new(),
    });
    for (place, entry) in recorded.entries.iter().enumerate() {
        let earlier = &recorded.entries[..place];
        match &entry.of {
            LedgerEvent::Measured { run } => {
                claimed.runs.push((**run).clone());
                let again = of_matrix(&run.matrix, store, |evidence| {
                    let asked = run.asked.clone();
                    conclude_run(
                        evidence,
                        run.matrix.clone(),
                        asked,
                        earlier,
                        recorded.ledger.rate,
                    )
                })?;
                found = found.and_then(|mut found| {
                    found.runs.push(again?);
                    Ok(found)
                });
            }
            LedgerEvent::Confirmed {
                matrix, found: one, ..
            } => {
                claimed.confirmed.push(Some(*one));
                let again = of_matrix(matrix, store, confirmed)?;
                found = found.and_then(|mut found| {
                    found.confirmed.push(again?);
                    Ok(found)
                });
            }
            LedgerEvent::Screened { race } => {
                claimed.races.push((**race).clone());
                let cells = store.load_matrix(race.matrix.as_str())?.run.cells;
                let ideas = race.runners.iter().map(|runner| {
                    let cell = cells.iter().position(|cell| *cell == runner.idea);
                    let cell = cell.map(CellIndex::at);
                    let why = runner.why.clone().filter(|_| cell.is_none());
                    (runner.idea.clone(), cell, why)
                });
                let ideas = ideas.collect();
                let again = of_matrix(&race.matrix, store, |evidence| {
                    conclude_race(evidence, race.matrix.clone(), ideas)
                })?;
                found = found.and_then(|mut found| {
                    found.races.push(again?);
                    Ok(found)
                });
            }
            LedgerEvent::Decided { .. } | LedgerEvent::Claimed { .. } => {}
        }
    }
    let finding = match found {
        _ if claimed.runs.is_empty()
            && claimed.confirmed.is_empty()
            && claimed.races.is_empty() =>
        {
            Finding::NothingClaimed
        }
        Ok(found) => compared(&claimed, &found),
        Err(error) => Finding::NotConcluded {
            why: error.to_string(),
        },
    };
    Ok(VerifiedChain {
        id: recorded.id.as_str().to_owned(),
        sort: ChainSort::Ledger,
        about: recorded.ledger.name.clone(),
        blocks: 0,
        runs: 0,
        finding,
        implausible: Vec::new(),
    })
}

/// What the blocks of a matrix give.
fn of_matrix<T>(
    id: &MatrixId,
    store: &Store,
    conclude: impl FnOnce(&MatrixEvidence<'_>) -> Result<T, ConcludeError>,
) -> Result<Result<T, ConcludeError>, StoreError> {
    let recorded = store.load_matrix(id.as_str())?;
    let members = recorded.run.members.iter();
    let members = members.map(|member| store.load(member.experiment.as_str()));
    let members = members.collect::<Result<Vec<Recorded>, StoreError>>()?;
    let out = members.iter().map(|member| {
        let out = member.exclusions.iter();
        out.map(|out| (out.build, out.why.clone())).collect()
    });
    let out: Vec<BTreeMap<_, _>> = out.collect();
    let members = members.iter().zip(&out);
    Ok(conclude(&MatrixEvidence {
        run: &recorded.run,
        members: members.map(|(member, out)| evidence(member, out)).collect(),
    }))
}
