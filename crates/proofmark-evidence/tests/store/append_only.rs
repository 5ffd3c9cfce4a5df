//! The tables, for those who come with SQL.

use rusqlite::Connection;
use tempfile::tempdir;

use crate::{ended, made};

#[test]
fn nothing_is_changed_removed_or_replaced() {
    let folder = tempdir().unwrap();
    ended::stored(folder.path(), 2);
    let connection = Connection::open(folder.path().join("evidence.db")).unwrap();
    for (attempt, word) in [
        (
            "UPDATE record SET number = 9 WHERE kind = 'block'",
            "cannot be changed",
        ),
        ("DELETE FROM record", "cannot be removed"),
        ("UPDATE private SET body = '{}'", "cannot be changed"),
        ("DELETE FROM private", "cannot be removed"),
        (
            "INSERT OR REPLACE INTO private SELECT id, key, '{}' FROM private",
            "cannot be replaced",
        ),
        (
            "INSERT OR REPLACE INTO record SELECT * FROM record WHERE seq = 2",
            "cannot be replaced",
        ),
        (
            "REPLACE INTO record (seq, id, chain, kind, body) SELECT 99, id, chain, kind, '{}' FROM record WHERE seq = 2",
            "cannot be replaced",
        ),
    ] {
        let error = connection.execute(attempt, []).unwrap_err().to_string();
        assert!(
            error.contains("append-only") && error.contains(word),
            "{attempt}: {error}"
        );
    }
    let store = proofmark_evidence::Store::open(folder.path()).unwrap();
    assert_eq!(store.check().unwrap().records, 4);
}

#[test]
fn samples_are_open_to_sql() {
    let folder = tempdir().unwrap();
    ended::stored(folder.path(), 2);
    let connection = Connection::open(folder.path().join("evidence.db")).unwrap();
    let query =
        "SELECT value FROM sample WHERE block = 1 AND round = 2 AND arm = 1 AND quantity = ?1";
    let value = |quantity: &str| {
        connection
            .query_row(query, [quantity], |row| row.get::<_, f64>(0))
            .unwrap()
    };
    let run = made::block(1, 3).rounds[2].runs[1];
    assert!((value("value") - run.value).abs() < 1e-12);
    assert!((value("cpu_ns") - run.cpu_ns as f64).abs() < 0.5);
    assert!((value("peak_bytes") - run.peak_bytes as f64).abs() < 0.5);
    let count: u32 = connection
        .query_row("SELECT count(*) FROM sample", [], |row| row.get(0))
        .unwrap();
    assert_eq!(count, 2 * 3 * 2 * 4, "blocks, rounds, arms, quantities");
}

#[test]
fn a_record_is_named_by_the_hash_of_its_text() {
    let folder = tempdir().unwrap();
    ended::stored(folder.path(), 1);
    let connection = Connection::open(folder.path().join("evidence.db")).unwrap();
    let mut statement = connection.prepare("SELECT id, body FROM record").unwrap();
    let rows = statement
        .query_map([], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
        })
        .unwrap();
    let rows: Vec<_> = rows.map(Result::unwrap).collect();
    assert_eq!(rows.len(), 3);
    for (id, body) in rows {
        assert_eq!(blake3::hash(body.as_bytes()).to_hex().as_str(), id);
    }
}

#[test]
fn the_queries_of_the_manual_work() {
    let folder = tempdir().unwrap();
    let id = ended::stored(folder.path(), 2);
    let mut store = proofmark_evidence::LockedStore::open(folder.path()).unwrap();
    store.conclude(&id, &ended::conclusion(2)).unwrap();
    drop(store);
    let connection = Connection::open(folder.path().join("evidence.db")).unwrap();
    let manual = include_str!("../../../../docs/schema/store.md");
    let sql = manual
        .split("```sql")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    let rows: Vec<usize> = sql
        .split_terminator(';')
        .filter(|query| !query.trim().is_empty())
        .map(|query| {
            connection
                .prepare(query)
                .unwrap()
                .query_map([], |_| Ok(()))
                .unwrap()
                .count()
        })
        .collect();
    assert_eq!(rows, [4, 1], "two blocks of two arms; one verdict");
}
