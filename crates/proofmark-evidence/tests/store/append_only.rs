//! The tables, for those who come with SQL.

use proofmark_evidence::LockedStore;
use proofmark_evidence::record::Schedule;
use proofmark_terms::ArmIndex;
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

/// Runs stand in the order in which they started, and a round need not have all arms.
#[test]
fn samples_are_open_to_sql() {
    let folder = tempdir().unwrap();
    let mut block = made::block(0, 3);
    assert_eq!(block.rounds[2].order, [ArmIndex(1), ArmIndex(0)]);
    block.rounds[1].order.pop();
    block.rounds[1].runs.pop();
    block.rounds[1].schedule = Schedule::Sliced { slice_us: 500 };
    let mut store = LockedStore::open(folder.path()).unwrap();
    let id = store.begin("key", &made::experiment(7)).unwrap();
    store.pilot(&id, &ended::pilot()).unwrap();
    store.block(&id, &block).unwrap();
    drop(store);
    let connection = Connection::open(folder.path().join("evidence.db")).unwrap();
    // As a program before this one left it.
    connection
        .execute_batch("DROP VIEW sample; CREATE VIEW sample AS SELECT 1 AS value")
        .unwrap();
    drop(LockedStore::open(folder.path()).unwrap());
    for quantity in ["value", "cpu_ns", "wall_ns", "peak_bytes"] {
        let mut statement = connection
            .prepare("SELECT round, arm, slice_us, value FROM sample WHERE quantity = ?1")
            .unwrap();
        let row = |row: &rusqlite::Row<'_>| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get::<_, f64>(3)?))
        };
        let found = statement.query_map([quantity], row).unwrap();
        let found: Vec<(u32, u32, Option<u32>, f64)> = found.map(Result::unwrap).collect();
        let mut expected = Vec::new();
        for (number, round) in (0..).zip(&block.rounds) {
            let slice = (number == 1).then_some(500);
            for (arm, run) in round.order.iter().zip(&round.runs) {
                let value = match quantity {
                    "value" => run.value,
                    "cpu_ns" => run.cpu_ns as f64,
                    "wall_ns" => run.wall_ns as f64,
                    _ => run.peak_bytes as f64,
                };
                expected.push((number, arm.0, slice, value));
            }
        }
        assert_eq!(found, expected, "{quantity}");
    }
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
    let mut store = LockedStore::open(folder.path()).unwrap();
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
