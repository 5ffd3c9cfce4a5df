//! A fault at each write of the store loses no finished block: power that fails, disks that fail,
//! disks that are full.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that meets the unexpected should stop there and then"
)]

mod disk;
#[path = "../store/made.rs"]
mod made;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use disk::{Event, Platter, Turn};
use proofmark_evidence::{ExperimentId, LockedStore, Store, StoreError};
use rusqlite::ffi;
use tempfile::tempdir;

/// Rounds of a block: a page, a few pages.
fn rounds(index: u32) -> u32 {
    [1, 60, 300][index as usize % 3]
}

/// A store with one experiment, closed.
fn begun(folder: &Path) -> ExperimentId {
    LockedStore::open(folder)
        .unwrap()
        .begin("key", &made::experiment(1))
        .unwrap()
}

/// Checks that the store in `folder` can be taken up, and holds the first `least` blocks, and at
/// most one more.
fn check(folder: &Path, least: u32, context: &str) {
    let store = LockedStore::open(folder).unwrap_or_else(|error| panic!("{context}: {error}"));
    holds(&store, least, context);
}

/// Checks that a store holds the first `least` blocks, and at most one more.
fn holds(store: &Store, least: u32, context: &str) {
    let recorded = store
        .load("latest")
        .unwrap_or_else(|error| panic!("{context}: {error}"));
    let stored = u32::try_from(recorded.blocks.len()).unwrap();
    assert!(
        stored == least || stored == least + 1,
        "{context}: {least} known to be stored, {stored} there"
    );
    for (index, block) in (0..).zip(&recorded.blocks) {
        assert_eq!(*block, made::block(index, rounds(index)), "{context}");
    }
}

/// Stores blocks in two sittings, and gives all that the disk was asked.
fn two_sittings(
    turn: &Turn,
    folder: &Path,
    id: &ExperimentId,
    rounds: fn(u32) -> u32,
) -> Vec<Event> {
    turn.record();
    for sitting in [0..5, 5..8] {
        let mut store = LockedStore::open(folder).unwrap();
        for index in sitting {
            store.block(id, &made::block(index, rounds(index))).unwrap();
            turn.say(Event::Stored(index + 1));
        }
    }
    turn.recorded()
}

/// How much of what was not synced yet survives when the power fails.
#[derive(Clone, Copy, Debug)]
enum Survives {
    /// All of it, as when only the process is killed.
    All,
    /// Nothing.
    Nothing,
    /// What a draw from the seed says, and of one write only the beginning.
    Some(u64),
}

/// The disk after the power failed behind `events`.
fn after_power_loss(start: &Platter, events: &[Event], survives: Survives) -> Platter {
    let mut platter = start.clone();
    let mut waiting: BTreeMap<PathBuf, Vec<Event>> = BTreeMap::new();
    for event in events {
        match event {
            Event::Write { path, .. } | Event::Truncate { path, .. } => {
                waiting.entry(path.clone()).or_default().push(event.clone());
            }
            Event::Sync { path } => waiting
                .remove(path)
                .into_iter()
                .flatten()
                .for_each(|event| platter.apply(&event)),
            Event::Delete { path } => {
                waiting.remove(path);
                platter.apply(event);
            }
            Event::Stored(_) => {}
        }
    }
    let mut state = match survives {
        Survives::Some(seed) => seed | 1,
        _ => 1,
    };
    for event in waiting.into_values().flatten() {
        state = state.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31);
        match (survives, event) {
            (Survives::All, event) => platter.apply(&event),
            (Survives::Some(_), event) if state % 3 == 0 => platter.apply(&event),
            (
                Survives::Some(_),
                Event::Write {
                    path,
                    offset,
                    mut bytes,
                },
            ) if state % 3 == 1 => {
                bytes.truncate(bytes.len() / 512 / 2 * 512);
                platter.apply(&Event::Write {
                    path,
                    offset,
                    bytes,
                });
            }
            _ => {}
        }
    }
    platter
}

/// Lets the power fail after every `step`th thing that the disk was asked.
fn fail_everywhere(start: &Platter, events: &[Event], step: usize) {
    for end in (0..=events.len()).step_by(step) {
        let (before, _) = events.split_at(end);
        let stored = before.iter().rev().find_map(|event| match event {
            Event::Stored(blocks) => Some(*blocks),
            _ => None,
        });
        let seed = end as u64 + 1;
        for survives in [
            Survives::All,
            Survives::Nothing,
            Survives::Some(seed),
            Survives::Some(seed << 20),
        ] {
            let folder = tempdir().unwrap();
            after_power_loss(start, before, survives).store(folder.path());
            check(
                folder.path(),
                stored.unwrap_or(0),
                &format!("event {end} of {}, {survives:?}", events.len()),
            );
        }
    }
}

#[test]
fn power_that_fails_at_any_write_loses_no_finished_block() {
    let turn = Turn::take();
    let folder = tempdir().unwrap();
    let id = begun(folder.path());
    let start = Platter::load(folder.path());
    let events = two_sittings(&turn, folder.path(), &id, rounds);
    let syncs = events
        .iter()
        .filter(|event| matches!(event, Event::Sync { .. }))
        .count();
    assert!(
        syncs >= 8 + 2,
        "a sync for each block and for each sitting's end; the disk saw {syncs}"
    );
    assert!(
        events
            .iter()
            .any(|event| matches!(event, Event::Delete { .. })),
        "the log is folded in and removed"
    );
    fail_everywhere(&start, &events, 1);
}

#[test]
fn power_that_fails_while_a_long_log_is_folded_in_loses_no_finished_block() {
    fn long(index: u32) -> u32 {
        if index == 3 { 45_000 } else { rounds(index) }
    }
    let turn = Turn::take();
    let folder = tempdir().unwrap();
    let id = begun(folder.path());
    let start = Platter::load(folder.path());
    let events = two_sittings(&turn, folder.path(), &id, long);
    let folded =
        |event: &Event| matches!(event, Event::Write { path, .. } if path.ends_with("evidence.db"));
    let first = events.iter().position(folded).unwrap();
    let last = events
        .iter()
        .rposition(|event| matches!(event, Event::Stored(4)))
        .unwrap();
    assert!(
        first < last,
        "the log was folded in while the blocks were being stored"
    );
    let checked = |end: usize| {
        let stored = events[..end]
            .iter()
            .filter(|event| matches!(event, Event::Stored(_)))
            .count();
        for survives in [Survives::Nothing, Survives::Some(end as u64)] {
            let folder = tempdir().unwrap();
            after_power_loss(&start, &events[..end], survives).store(folder.path());
            let store = LockedStore::open(folder.path()).unwrap();
            let blocks = store.load("latest").unwrap().blocks;
            assert!(
                blocks.len() == stored || blocks.len() == stored + 1,
                "event {end}, {survives:?}: {}",
                blocks.len()
            );
        }
    };
    // The writes of the folding are alike: a few of them stand for all.
    (first..last)
        .step_by((last - first) / 4 + 1)
        .chain([first + 1, last])
        .for_each(checked);
}

#[test]
fn a_write_that_fails_is_an_error_and_the_same_block_can_be_stored_after_it() {
    let turn = Turn::take();
    for (code, full) in [(ffi::SQLITE_IOERR, false), (ffi::SQLITE_FULL, true)] {
        let mut failed = 0;
        for number in 0.. {
            let folder = tempdir().unwrap();
            let id = begun(folder.path());
            let mut store = LockedStore::open(folder.path()).unwrap();
            turn.fail(number, 1, code);
            let mut errors = Vec::new();
            for index in 0..4 {
                while let Err(error) = store.block(&id, &made::block(index, rounds(index))) {
                    errors.push(error);
                    assert!(errors.len() < 3, "{errors:?}");
                    let store = Store::open(folder.path()).unwrap();
                    holds(&store, index, "after a failure");
                }
            }
            drop(store);
            let asked = turn.mend();
            check(folder.path(), 4, "after all");
            failed += errors.len();
            for error in &errors {
                let known = matches!(error, StoreError::Full { .. } | StoreError::Io { .. });
                assert!(known, "{error}");
                assert!(
                    error.to_string().contains("finished blocks are kept"),
                    "{error}"
                );
            }
            if full && number == 0 {
                assert!(
                    matches!(errors[..], [StoreError::Full { .. }]),
                    "{errors:?}"
                );
            }
            if number > asked {
                break;
            }
        }
        assert!(failed > 10, "only {failed} writes failed");
    }
}

#[test]
fn a_disk_that_stays_full_loses_nothing_and_goes_on_when_there_is_room() {
    let turn = Turn::take();
    for number in 0..40 {
        let folder = tempdir().unwrap();
        let id = begun(folder.path());
        let mut stored = 0;
        {
            let mut store = LockedStore::open(folder.path()).unwrap();
            turn.fail(number, usize::MAX, ffi::SQLITE_FULL);
            while let Ok(()) = store.block(&id, &made::block(stored, rounds(stored))) {
                stored += 1;
            }
            let error = store
                .block(&id, &made::block(stored, rounds(stored)))
                .unwrap_err();
            assert!(
                matches!(error, StoreError::Full { .. } | StoreError::Io { .. }),
                "{error}"
            );
        }
        turn.mend();
        check(
            folder.path(),
            stored,
            &format!("full from change {number} on"),
        );
        let mut store = LockedStore::open(folder.path()).unwrap();
        let next = u32::try_from(store.load("latest").unwrap().blocks.len()).unwrap();
        store.block(&id, &made::block(next, rounds(next))).unwrap();
    }
}

#[test]
fn a_store_that_cannot_be_made_is_not_half_made() {
    let turn = Turn::take();
    for code in [ffi::SQLITE_FULL, ffi::SQLITE_IOERR] {
        for number in 0.. {
            let folder = tempdir().unwrap();
            turn.fail(number, usize::MAX, code);
            let opened = LockedStore::open(folder.path()).map(drop);
            turn.mend();
            if opened.is_ok() {
                assert!(number > 5, "making a store takes more writes than that");
                break;
            }
            assert!(
                matches!(opened, Err(StoreError::Full { .. } | StoreError::Io { .. })),
                "{opened:?}"
            );
            assert_eq!(
                std::fs::read_dir(folder.path()).unwrap().count(),
                0,
                "change {number}"
            );
            begun(folder.path());
        }
    }
}
