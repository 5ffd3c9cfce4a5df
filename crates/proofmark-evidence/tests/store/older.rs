//! A store of the first version: read, migrated, and written to.

use std::path::Path;

use proofmark_evidence::Store;
use rusqlite::Connection;
use tempfile::tempdir;

use crate::made;

/// The store's tables as the first version made them, with the records of a present store.
fn first_version(folder: &Path) {
    let path = folder.join("evidence.db");
    let old = Connection::open(&path).unwrap();
    old.execute_batch("ALTER TABLE record RENAME TO kept; DROP VIEW sample; DROP TRIGGER record_no_update; DROP TRIGGER record_no_delete; DROP TRIGGER record_no_replace; DROP INDEX record_of_experiment; DROP INDEX block_of_experiment; DROP INDEX chain_of_key")
        .unwrap();
    old.execute_batch(include_str!("../../src/schema/0001-records.sql"))
        .unwrap();
    old.execute_batch(
        "INSERT INTO record SELECT * FROM kept; DROP TABLE kept; PRAGMA user_version = 1",
    )
    .unwrap();
}

fn version(folder: &Path) -> u32 {
    Connection::open(folder.join("evidence.db"))
        .unwrap()
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .unwrap()
}

#[test]
fn its_records_are_read_and_others_follow_them() {
    let folder = tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    let id = store.begin("key", &made::experiment(7)).unwrap();
    store.block(&id, &made::block(0, 3)).unwrap();
    let before = store.load("latest").unwrap();
    drop(store);
    first_version(folder.path());
    assert_eq!(version(folder.path()), 1);
    let mut store = Store::open_existing(folder.path()).unwrap();
    assert_eq!(version(folder.path()), 2);
    assert_eq!(store.load("latest").unwrap(), before);
    store.block(&id, &made::block(1, 3)).unwrap();
    assert_eq!(store.load("latest").unwrap().blocks.len(), 2);
    store.check().unwrap();
    let samples: u32 = Connection::open(folder.path().join("evidence.db"))
        .unwrap()
        .query_row("SELECT count(*) FROM sample", [], |row| row.get(0))
        .unwrap();
    assert!(samples > 0);
}

#[test]
fn nothing_in_it_can_be_changed_afterwards() {
    let folder = tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    store.begin("key", &made::experiment(7)).unwrap();
    drop(store);
    first_version(folder.path());
    drop(Store::open(folder.path()).unwrap());
    let connection = Connection::open(folder.path().join("evidence.db")).unwrap();
    for change in [
        "UPDATE record SET key = 'other'",
        "DELETE FROM record",
        "REPLACE INTO record SELECT * FROM record",
    ] {
        let error = connection.execute(change, []).unwrap_err();
        assert!(
            error.to_string().contains("append-only"),
            "{change}: {error}"
        );
    }
}
