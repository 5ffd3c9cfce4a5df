//! A ledger computed again, from the blocks of its matrices.

use std::collections::BTreeMap;

use proofmark_evidence::record::{LedgerClaim, LedgerEntry, LedgerEvent, LedgerRace, LedgerRun};
use proofmark_evidence::{
    ChainSort, MatrixId, Recorded, RecordedLedger, RecordedMatrix, Store, StoreError,
};

use proofmark_terms::CellIndex;

use super::confirmation::Confirmation;
use super::found::{Finding, VerifiedChain};
use super::ledger_copies::{raced, warnings};
use super::ledger_names::is_about;
use super::matrix::{evidence, members};
use super::numbers::compared;
use crate::ledger::{conclude_race, conclude_run, first_figure};
use crate::{ConcludeError, MatrixEvidence};

/// What an entry of a ledger claims that follows from blocks.
#[derive(serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum Claimed {
    Run(Box<LedgerRun>),
    Claim(Box<LedgerClaim>),
    Confirmed(Box<Confirmation>),
    Race(Box<LedgerRace>),
}

pub(super) fn verified(
    recorded: &RecordedLedger,
    store: &Store,
) -> Result<VerifiedChain, StoreError> {
    let mut claimed = Vec::new();
    let mut found: Result<Vec<Claimed>, ConcludeError> = Ok(Vec::new());
    for (place, entry) in recorded.entries.iter().enumerate() {
        let earlier = &recorded.entries[..place];
        if entry.at_ms < recorded.ledger.began_ms {
            let why = "an entry was written down before its ledger was begun";
            found = found.and(Err(ConcludeError::Design(why.to_owned())));
        }
        let Some(claim) = claim(&entry.of, earlier) else {
            continue;
        };
        claimed.push(claim);
        let again = again(entry, earlier, recorded.ledger.rate, store)?;
        found = found.and_then(|mut found| {
            found.extend(again?);
            Ok(found)
        });
    }
    let finding = match found {
        _ if claimed.is_empty() => Finding::NothingClaimed,
        Ok(found) => compared(&claimed, &found),
        Err(error) => Finding::NotConcluded {
            why: error.to_string(),
        },
    };
    Ok(VerifiedChain::of_experiments(
        recorded.id.as_str(),
        ChainSort::Ledger,
        recorded.ledger.name.clone(),
        finding,
    ))
}

/// What an entry says; nothing where it claims nothing that follows from blocks.
fn claim(event: &LedgerEvent, earlier: &[LedgerEntry]) -> Option<Claimed> {
    match event {
        LedgerEvent::Measured { run } => Some(Claimed::Run(run.clone())),
        LedgerEvent::Claimed { claim } => Some(Claimed::Claim(Box::new(claim.clone()))),
        LedgerEvent::Confirmed { .. } => {
            let said = Confirmation::said(event, earlier);
            said.map(|said| Claimed::Confirmed(Box::new(said)))
        }
        LedgerEvent::Screened { race } => Some(Claimed::Race(race.clone())),
        LedgerEvent::Decided { .. } => None,
    }
}

/// What blocks say of an entry.
fn again(
    entry: &LedgerEntry,
    earlier: &[LedgerEntry],
    rate: f64,
    store: &Store,
) -> Result<Result<Option<Claimed>, ConcludeError>, StoreError> {
    let event = &entry.of;
    let at = |matrix| (matrix, entry.at_ms);
    let again = match event {
        LedgerEvent::Measured { run } => {
            of_matrix(at(&run.matrix), store, |recorded, evidence| {
                is_about(&run.asked, evidence)?;
                let (matrix, asked) = (run.matrix.clone(), run.asked.clone());
                let warnings = warnings(run, recorded, evidence)?;
                let found = conclude_run(evidence, matrix, asked, earlier, rate, warnings)?;
                Ok(Claimed::Run(Box::new(found)))
            })?
        }
        LedgerEvent::Claimed { claim } => Ok(Claimed::Claim(Box::new(LedgerClaim {
            first: first_figure(earlier, &claim.change),
            ..claim.clone()
        }))),
        LedgerEvent::Confirmed { matrix, .. } => {
            of_matrix(at(matrix), store, |recorded, evidence| {
                let stop = recorded.conclusion.as_ref();
                let stop = stop.map(|conclusion| conclusion.stop);
                let found = Confirmation::found(event, earlier, evidence, stop)?;
                Ok(Claimed::Confirmed(Box::new(found)))
            })?
        }
        LedgerEvent::Screened { race } => {
            of_matrix(at(&race.matrix), store, |recorded, evidence| {
                let ideas = runners(race, &recorded.run.cells);
                raced(ideas.iter().filter_map(|(_, cell, _)| *cell), recorded)?;
                let race = conclude_race(evidence, race.matrix.clone(), ideas)?;
                Ok(Claimed::Race(Box::new(race)))
            })?
        }
        LedgerEvent::Decided { .. } => return Ok(Ok(None)),
    };
    Ok(again.map(Some))
}

/// The ideas of a race, each with its cell, or with the reason why it has none.
fn runners(
    race: &LedgerRace,
    cells: &[String],
) -> Vec<(String, Option<CellIndex>, Option<String>)> {
    let runners = race.runners.iter().map(|runner| {
        let cell = cells.iter().position(|cell| *cell == runner.idea);
        let cell = cell.map(CellIndex::at);
        let why = runner.why.clone().filter(|_| cell.is_none());
        (runner.idea.clone(), cell, why)
    });
    runners.collect()
}

/// When the first block of these experiments began, in milliseconds since 1970.
fn first_block(members: &[Recorded]) -> Option<u64> {
    let blocks = members.iter().flat_map(|member| &member.blocks);
    blocks.map(|block| block.began_ms).min()
}

/// What the blocks of a matrix give, of which an entry of this time speaks.
fn of_matrix<T>(
    (id, at_ms): (&MatrixId, u64),
    store: &Store,
    conclude: impl FnOnce(&RecordedMatrix, &MatrixEvidence<'_>) -> Result<T, ConcludeError>,
) -> Result<Result<T, ConcludeError>, StoreError> {
    let recorded = store.load_matrix(id.as_str())?;
    if at_ms < recorded.run.began_ms {
        let why = "an entry was written down before its measurement had begun";
        return Ok(Err(ConcludeError::Design(why.to_owned())));
    }
    let Some(members) = members(&recorded, store)? else {
        return Ok(Err(ConcludeError::Damaged {
            block: 0,
            why: "is of a matrix that has an experiment twice".to_owned(),
        }));
    };
    let out = members.iter().map(|member| {
        let out = member.exclusions.iter();
        out.map(|out| (out.build, out.why.clone())).collect()
    });
    let out: Vec<BTreeMap<_, _>> = out.collect();
    if let Some(first) = first_block(&members)
        && at_ms < first
    {
        let why = "an entry was written down before the first of its blocks had begun";
        return Ok(Err(ConcludeError::Design(why.to_owned())));
    }
    let members = members.iter().zip(&out);
    let evidence = MatrixEvidence {
        run: &recorded.run,
        members: members.map(|(member, out)| evidence(member, out)).collect(),
    };
    Ok(conclude(&recorded, &evidence))
}
