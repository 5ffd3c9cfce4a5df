//! Matrices: chains of their own beside the experiments that they name.

use proofmark_evidence::record::{Asked, Exclusion, MatrixConclusion, MatrixRun, Member, Stop};
use proofmark_evidence::{LockedStore, Store, StoreError};
use proofmark_terms::{BuildIndex, CellIndex};
use rusqlite::Connection;
use tempfile::tempdir;

use crate::made;

fn conclusion(blocks: u32) -> MatrixConclusion {
    MatrixConclusion {
        asked: Asked::default(),
        blocks,
        stop: Stop::Decided,
        confidence: 0.95,
        suite: Vec::new(),
        effects: Vec::new(),
        out: Vec::new(),
        claims: Vec::new(),
        guards: Vec::new(),
        outliers: Vec::new(),
        lines: Vec::new(),
        scale: Vec::new(),
        code: Vec::new(),
        warnings: Vec::new(),
        took_ms: 0,
    }
}

fn begin(store: &mut LockedStore, seed: u64) -> MatrixRun {
    let experiment = store.begin("member", &made::experiment(seed)).unwrap();
    MatrixRun {
        cells: vec!["a".to_owned(), "b".to_owned()],
        baselines: vec![CellIndex(0)],
        kinds: Vec::new(),
        members: vec![Member {
            benchmark: "x".to_owned(),
            size: None,
            experiment,
        }],
        proofmark: "test".to_owned(),
        began_ms: seed,
    }
}

#[test]
fn a_matrix_is_found_by_its_key_its_name_and_as_the_latest() {
    let folder = tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let first = begin(&mut store, 1);
    let id = store.begin_matrix("key", &first).unwrap();
    store.conclude_matrix(&id, &conclusion(8)).unwrap();
    store.conclude_matrix(&id, &conclusion(9)).unwrap();
    let second = begin(&mut store, 2);
    let later = store.begin_matrix("other", &second).unwrap();
    assert_eq!(
        store.matrices_of_key("key").unwrap(),
        std::slice::from_ref(&id)
    );
    let found = store.load_matrix(id.as_str()).unwrap();
    assert_eq!((found.id, found.run), (id.clone(), first));
    assert_eq!(found.conclusion, Some(conclusion(9)), "the last one counts");
    assert_eq!(store.load_matrix(id.short()).unwrap().key, "key");
    assert_eq!(store.load_matrix("latest").unwrap().id, later);
    assert_eq!(store.matrices_of_key("none").unwrap(), []);
    assert_eq!(store.matrices(8).unwrap(), [later.clone(), id.clone()]);
    assert_eq!(store.matrices(1).unwrap(), std::slice::from_ref(&later));
    let third = begin(&mut store, 3);
    let again = store.begin_matrix("key", &third).unwrap();
    assert_eq!(store.matrices_of_key("key").unwrap(), [again, id.clone()]);
    assert!(matches!(
        store.load_matrix("ffff"),
        Err(StoreError::NoSuchMatrix { .. })
    ));
    // A matrix is no experiment.
    assert!(matches!(
        store.load(id.as_str()),
        Err(StoreError::NoSuchExperiment { .. })
    ));
    assert_eq!(store.check().unwrap().experiments, 3);
    assert_eq!(store.list().unwrap().len(), 3);
}

#[test]
fn a_build_that_left_stays_out() {
    let folder = tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let id = store.begin("key", &made::experiment(7)).unwrap();
    let exclusion = Exclusion {
        build: BuildIndex(1),
        blocks: 0,
        why: "exited with 1".to_owned(),
    };
    store.exclude(&id, &exclusion).unwrap();
    store.block(&id, &made::block(0, 3)).unwrap();
    assert_eq!(store.load("latest").unwrap().exclusions, [exclusion]);
}

#[test]
fn a_matrix_that_was_altered_is_named() {
    let folder = tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let run = begin(&mut store, 1);
    store.begin_matrix("key", &run).unwrap();
    drop(store);
    Connection::open(folder.path().join("evidence.db"))
        .unwrap()
        .execute_batch("DROP TRIGGER record_no_update; UPDATE record SET body = replace(body, '\"b\"', '\"c\"') WHERE kind = 'matrix'")
        .unwrap();
    let store = Store::open(folder.path()).unwrap();
    for error in [
        store.load_matrix("latest").unwrap_err(),
        store.check().unwrap_err(),
    ] {
        assert!(matches!(error, StoreError::DamagedRecord { .. }), "{error}");
    }
}
