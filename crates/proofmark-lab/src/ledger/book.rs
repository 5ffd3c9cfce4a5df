//! The ledger in the store: taken up by its name, and added to.

use proofmark_evidence::record::{Decision, Ledger, LedgerEntry, LedgerEvent};
use proofmark_evidence::{LockedStore, RecordedLedger, Store};
use serde_json::json;

use crate::clock::now_ms;
use crate::error::LabError;
use crate::experiment::digest;

/// The ledger of this name; `None` where none was begun.
///
/// # Errors
///
/// The store cannot be read, or a record is damaged.
pub fn book_of(store: &Store, name: &str) -> Result<Option<RecordedLedger>, LabError> {
    Ok(store.ledger_of_key(&key(name)?)?)
}

fn key(name: &str) -> Result<String, LabError> {
    digest(&json!(["ledger", name]))
}

/// The ledger of this name, begun where it is not there.
pub(super) fn taken_up(
    store: &mut LockedStore,
    name: &str,
    rate: f64,
) -> Result<RecordedLedger, LabError> {
    let Some(found) = book_of(store, name)? else {
        let ledger = Ledger {
            name: name.to_owned(),
            rate,
            proofmark: env!("CARGO_PKG_VERSION").to_owned(),
            began_ms: now_ms(),
        };
        let id = store.begin_ledger(&key(name)?, &ledger)?;
        return Ok(store.load_ledger(id.as_str())?);
    };
    if (found.ledger.rate - rate).abs() > f64::EPSILON {
        return Err(LabError::Refused(format!(
            "ledger `{name}` promises that at most {} % of its findings are none, and the file says \
             {} %: what it promised holds for all of its questions\n  next: write rate = \"{}%\" \
             into [ledger], or begin another ledger by another `name`",
            found.ledger.rate * 100.0,
            rate * 100.0,
            found.ledger.rate * 100.0,
        )));
    }
    Ok(found)
}

/// Adds what happened.
pub(super) fn add(
    store: &mut LockedStore,
    book: &mut RecordedLedger,
    of: LedgerEvent,
) -> Result<u32, LabError> {
    let index = u32::try_from(book.entries.len()).unwrap_or(u32::MAX);
    let entry = LedgerEntry {
        index,
        at_ms: now_ms(),
        of,
    };
    store.ledger_entry(&book.id, &entry)?;
    book.entries.push(entry);
    Ok(index)
}

/// Writes a decision down, beside the matrix that the idea was last measured in.
///
/// # Errors
///
/// The store cannot be written.
pub fn decide(
    store: &mut LockedStore,
    book: &mut RecordedLedger,
    idea: &str,
    decision: Decision,
    because: &str,
) -> Result<(), LabError> {
    let measured = book.entries.iter().rev().find_map(|entry| match &entry.of {
        LedgerEvent::Measured { run } => {
            let mut ideas = run.asked.ideas.iter();
            ideas
                .any(|known| known.name == idea)
                .then(|| run.matrix.clone())
        }
        _ => None,
    });
    let event = LedgerEvent::Decided {
        idea: idea.to_owned(),
        decision,
        because: because.to_owned(),
        matrix: measured,
    };
    add(store, book, event).map(drop)
}
