//! Series of commits: a chain of their own, with a record for each point.

use proofmark_evidence::record::{
    Benchmark, Design, EntryOf, PointOutcome, Series, SeriesEntry, SeriesLine, Stdin,
};
use proofmark_evidence::{LockedStore, Store, StoreError};
use proofmark_terms::{Commit, Machine, Metric};
use tempfile::tempdir;

fn commit(id: &str) -> Commit {
    Commit {
        id: id.into(),
        parents: Vec::new(),
        tree: format!("tree of {id}").into(),
        author: "Tester".to_owned(),
        date: "2026-01-01T00:00:00+00:00".to_owned(),
        subject: format!("commit {id}"),
    }
}

fn series(began_ms: u64) -> Series {
    Series {
        name: "bench".to_owned(),
        build: "make".to_owned(),
        repeat: 1,
        benchmark: Box::new(Benchmark {
            argv: vec!["{}".into()],
            metric: Metric::CpuTime,
            env: Vec::new(),
            cwd: "/".into(),
            fresh_cwd: false,
            stdin: Stdin::Null,
            setup: None,
            prepare: None,
            warmup: 0,
            timeout_ms: 1000,
            allow_output_difference: false,
            ignore_exit: false,
            output_filter: None,
            expected: None,
        }),
        design: Box::new(Design::default()),
        origin: commit("a"),
        anchor_every: 10,
        proofmark: "test".to_owned(),
        began_ms,
    }
}

fn entry(index: u32) -> SeriesEntry {
    SeriesEntry {
        index,
        line: SeriesLine {
            machine: Machine::default(),
            surroundings: "5e".repeat(32).parse().unwrap(),
            parts: Vec::new(),
        },
        of: EntryOf::Point {
            commit: commit("a"),
            place: 0,
            outcome: PointOutcome::Anchor { rebuilt: None },
        },
        began_ms: 1,
        took_ms: 5,
    }
}

#[test]
fn a_series_is_found_by_its_key_with_its_entries() {
    let folder = tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let id = store.begin_series("key", &series(1)).unwrap();
    let entries = [entry(0), entry(1)];
    for entry in &entries {
        store.series_entry(&id, entry).unwrap();
    }
    let found = store.series_of_key("key").unwrap().unwrap();
    assert_eq!((&found.id, &found.series), (&id, &series(1)));
    assert_eq!(found.entries, entries);
    assert_eq!(store.series_of_key("other").unwrap(), None);
    assert_eq!(store.load_series(id.short()).unwrap(), found);
    // The one that was begun last counts.
    let later = store.begin_series("key", &series(2)).unwrap();
    assert_eq!(store.series_of_key("key").unwrap().unwrap().id, later);
    assert_eq!(store.load_series("latest").unwrap().id, later);
    let all = store.all_series().unwrap();
    let all: Vec<_> = all.into_iter().map(|one| one.id).collect();
    assert_eq!(all, [later, id]);
    assert!(matches!(
        store.load_series("ffff"),
        Err(StoreError::NoSuchSeries { .. })
    ));
    assert_eq!(store.check().unwrap().records, 4);
    assert_eq!(store.list().unwrap(), []);
}

#[test]
fn an_entry_in_the_place_of_another_is_damage() {
    let folder = tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let id = store.begin_series("key", &series(1)).unwrap();
    store.series_entry(&id, &entry(1)).unwrap();
    drop(store);
    let read = Store::open(folder.path()).unwrap().load_series("latest");
    assert!(
        matches!(read, Err(StoreError::DamagedRecord { .. })),
        "{read:?}"
    );
}
