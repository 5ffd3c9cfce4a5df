//! Kinds of records that come later need no other tables, and disturb nobody who does not know
//! them.

use std::path::Path;

use proofmark_evidence::{Store, StoreError};
use rusqlite::Connection;
use tempfile::tempdir;

use crate::ended;

/// Appends a record as a later version would.
fn append(folder: &Path, kind: &str, body: &str, chain: Option<&str>) -> String {
    let id = blake3::hash(body.as_bytes()).to_hex().to_string();
    let connection = Connection::open(folder.join("evidence.db")).unwrap();
    connection
        .execute(
            "INSERT INTO record (id, chain, kind, body) VALUES (?1, ?2, ?3, ?4)",
            (&id, chain.unwrap_or(&id), kind, body),
        )
        .unwrap();
    id
}

/// A sweep of two records over an experiment.
fn sweep(folder: &Path, experiment: &str) -> String {
    let first = format!(r#"{{"kind":"bisection","record":{{"over":["{experiment}"]}}}}"#);
    let id = append(folder, "bisection", &first, None);
    let second = format!(
        r#"{{"after":"{id}","chain":"{id}","kind":"sweep-conclusion","record":{{"best":64}}}}"#
    );
    append(folder, "sweep-conclusion", &second, Some(&id));
    id
}

#[test]
fn a_chain_of_a_later_kind_is_kept_and_passed_over() {
    let folder = tempdir().unwrap();
    let experiment = ended::stored(folder.path(), 2);
    let store = Store::open(folder.path()).unwrap();
    let (listed, checked) = (store.list().unwrap(), store.check().unwrap());
    sweep(folder.path(), experiment.as_str());
    assert_eq!(store.list().unwrap(), listed);
    assert_eq!(store.find("latest").unwrap(), experiment);
    let now = store.check().unwrap();
    assert_eq!(now.experiments, checked.experiments);
    assert_eq!(now.records, checked.records + 2);
}

#[test]
fn what_a_later_kind_refers_to_is_known_and_nothing_else() {
    let folder = tempdir().unwrap();
    let experiment = ended::stored(folder.path(), 1);
    let store = Store::open(folder.path()).unwrap();
    assert!(store.referred_to_by_later().unwrap().is_empty());
    let id = sweep(folder.path(), experiment.as_str());
    let file = "7a".repeat(32);
    let body = format!(
        r#"{{"after":"{id}","chain":"{id}","kind":"profile","record":["{file}","{file}0"]}}"#
    );
    append(folder.path(), "profile", &body, Some(&id));
    let found = store.referred_to_by_later().unwrap();
    let capture = "5e".repeat(32);
    for named in [experiment.as_str(), &file, &capture] {
        assert!(found.contains(named), "{named}: {found:?}");
    }
    assert!(!found.contains(format!("{file}0").as_str()));
}

#[test]
fn a_later_kind_is_checked_as_well() {
    for flawed in [
        // Not after the record that is before it.
        r#"{"after":"0","chain":"CHAIN","kind":"sweep-conclusion","record":1}"#,
        // Of another chain.
        r#"{"after":"CHAIN","chain":"0","kind":"sweep-conclusion","record":1}"#,
        // Of another kind than the column says.
        r#"{"after":"CHAIN","chain":"CHAIN","kind":"note","record":1}"#,
    ] {
        let folder = tempdir().unwrap();
        ended::stored(folder.path(), 1);
        let first = r#"{"kind":"bisection","record":1}"#;
        let id = append(folder.path(), "bisection", first, None);
        let body = flawed.replace("CHAIN", &id);
        append(folder.path(), "sweep-conclusion", &body, Some(&id));
        let store = Store::open(folder.path()).unwrap();
        let error = store.check().unwrap_err();
        assert!(
            matches!(&error, StoreError::DamagedRecord { what, .. } if what.contains("elsewhere")),
            "{flawed}: {error}"
        );
    }
}
