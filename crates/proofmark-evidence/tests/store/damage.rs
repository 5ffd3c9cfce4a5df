//! Damaged files: found, named, and never read as something else.

use std::fs;
use std::path::Path;

use proofmark_evidence::{LockedStore, Recorded, Store, StoreError};
use rusqlite::Connection;
use tempfile::tempdir;

use crate::{ended, made};

/// Loads the only experiment and checks the whole store.
fn read(folder: &Path) -> Result<Recorded, StoreError> {
    let store = Store::open(folder)?;
    store.check()?;
    store.load("latest")
}

#[test]
fn an_empty_file_is_not_taken_for_a_new_store() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("evidence.db"), "").unwrap();
    for error in [
        LockedStore::open(folder.path()).unwrap_err(),
        Store::open(folder.path()).unwrap_err(),
    ] {
        assert!(
            matches!(&error, StoreError::Damaged { what, .. } if what.contains("empty")),
            "{error}"
        );
    }
}

#[test]
fn a_file_cut_anywhere_is_found() {
    let folder = tempdir().unwrap();
    ended::stored(folder.path(), 30);
    let path = folder.path().join("evidence.db");
    let whole = fs::read(&path).unwrap();
    for length in
        (0..whole.len())
            .step_by(1000)
            .chain([1, 15, 16, 99, 100, 511, 512, whole.len() - 1])
    {
        fs::write(&path, &whole[..length]).unwrap();
        for error in [
            read(folder.path()).unwrap_err(),
            LockedStore::open(folder.path())
                .and(read(folder.path()))
                .unwrap_err(),
        ] {
            let damaged = matches!(
                error,
                StoreError::Damaged { .. } | StoreError::DamagedRecord { .. }
            );
            assert!(
                damaged || matches!(error, StoreError::Foreign { .. }),
                "{length}: {error}"
            );
        }
        assert_eq!(
            fs::read(&path).unwrap(),
            &whole[..length],
            "what is left is left alone"
        );
    }
}

#[test]
fn a_bit_that_flips_is_found_or_does_no_harm() {
    let folder = tempdir().unwrap();
    ended::stored(folder.path(), 12);
    let path = folder.path().join("evidence.db");
    let whole = fs::read(&path).unwrap();
    let right = read(folder.path()).unwrap();
    let (mut found, mut harmless) = (0, 0);
    // A prime step, so that every place within a page has its turn.
    for place in (0..whole.len()).step_by(131) {
        let mut flipped = whole.clone();
        flipped[place] ^= 1 << (place % 8);
        fs::write(&path, &flipped).unwrap();
        for leftover in ["evidence.db-wal", "evidence.db-shm", "evidence.db-journal"] {
            let _ = fs::remove_file(folder.path().join(leftover));
        }
        match read(folder.path()) {
            Ok(recorded) => {
                assert!(recorded == right, "byte {place} reads as something else");
                harmless += 1;
            }
            Err(_) => found += 1,
        }
    }
    assert!(found > 100, "{found} found, {harmless} harmless");
}

/// Does to the table what the triggers forbid, as damage would.
fn tamper(folder: &Path, statement: &str) {
    let connection = Connection::open(folder.join("evidence.db")).unwrap();
    let triggers = "DROP TRIGGER record_no_update; DROP TRIGGER record_no_delete";
    connection
        .execute_batch(&format!("{triggers}; {statement}"))
        .unwrap();
}

#[test]
fn a_record_that_was_altered_is_named() {
    let folder = tempdir().unwrap();
    let id = ended::stored(folder.path(), 3);
    tamper(
        folder.path(),
        "UPDATE record SET body = replace(body, '\"took_ms\":2', '\"took_ms\":3') WHERE number = 1",
    );
    let name: String = Connection::open(folder.path().join("evidence.db"))
        .unwrap()
        .query_row("SELECT id FROM record WHERE number = 1", [], |row| {
            row.get(0)
        })
        .unwrap();
    let error = Store::open(folder.path())
        .unwrap()
        .load(id.as_str())
        .unwrap_err();
    assert!(
        matches!(&error, StoreError::DamagedRecord { id, .. } if *id == name),
        "{error}"
    );
    assert!(
        error.to_string().contains(&name) && error.to_string().contains("hashes to"),
        "{error}"
    );
}

#[test]
fn records_that_were_removed_or_moved_are_missed() {
    for (statement, word) in [
        ("DELETE FROM record WHERE number = 1", "follows"),
        ("DELETE FROM record WHERE kind = 'pilot'", "follows"),
        (
            "UPDATE record SET seq = seq + 100 WHERE number = 0",
            "follows",
        ),
        (
            "UPDATE record SET number = 7 WHERE number = 2",
            "block 2 in the place of block 2",
        ),
        (
            "UPDATE record SET private = NULL WHERE kind = 'experiment'",
            "belongs elsewhere",
        ),
        (
            "UPDATE record SET kind = 'note', number = NULL WHERE number = 2",
            "cannot read it",
        ),
    ] {
        let folder = tempdir().unwrap();
        let id = ended::stored(folder.path(), 3);
        tamper(folder.path(), statement);
        let error = Store::open(folder.path())
            .unwrap()
            .load(id.as_str())
            .unwrap_err();
        assert!(
            matches!(error, StoreError::DamagedRecord { .. }),
            "{statement}: {error}"
        );
        assert!(error.to_string().contains(word), "{statement}: {error}");
    }
}

#[test]
fn an_experiment_whose_first_record_is_gone_is_found_by_the_check() {
    let folder = tempdir().unwrap();
    ended::stored(folder.path(), 1);
    tamper(
        folder.path(),
        "DELETE FROM record WHERE kind = 'experiment'",
    );
    let store = Store::open(folder.path()).unwrap();
    assert!(store.check().is_err());
}

#[test]
fn what_stands_for_a_digest_and_is_none_is_named() {
    let folder = tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    store.begin("key", &made::experiment(1)).unwrap();
    drop(store);
    let connection = Connection::open(folder.path().join("evidence.db")).unwrap();
    let of_record = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
    let body = connection.query_row("SELECT body FROM record", [], of_record);
    let body = body.unwrap().replace(&"1a".repeat(32), "1a");
    let id = blake3::hash(body.as_bytes()).to_hex().to_string();
    connection
        .execute_batch("DROP TRIGGER record_no_update")
        .unwrap();
    connection
        .execute(
            "UPDATE record SET id = ?1, chain = ?1, body = ?2",
            [&id, &body],
        )
        .unwrap();
    let said = Store::open(folder.path()).unwrap().load("latest");
    let said = said.unwrap_err().to_string();
    assert!(
        said.contains(&id) && said.contains("`1a` is no digest"),
        "{said}"
    );
}
