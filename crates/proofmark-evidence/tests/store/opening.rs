//! Files that are there, that are not, and that are something else.

use std::fs;

use proofmark_evidence::{LockedStore, Store, StoreError};
use rusqlite::Connection;
use tempfile::tempdir;

use crate::{ended, made};

#[test]
fn reading_makes_nothing() {
    let folder = tempdir().unwrap();
    let error = Store::open(folder.path()).unwrap_err();
    assert!(matches!(error, StoreError::NoStore { .. }), "{error}");
    assert!(error.to_string().contains("proofmark compare"), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_new_store_leaves_nothing_beside_it_but_the_word_to_git() {
    let folder = tempdir().unwrap();
    ended::stored(folder.path(), 1);
    let mut names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, [".gitignore", "evidence.db", "measuring.lock"]);
    let ignored = fs::read_to_string(folder.path().join(".gitignore")).unwrap();
    assert_eq!(
        ignored, "*\n",
        "the store is no part of the project's sources"
    );
}

#[test]
fn a_file_of_another_kind_is_foreign_and_left_alone() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("evidence.db");
    let text = "this is somebody's diary, and not a database";
    fs::write(&path, text).unwrap();
    for error in [
        LockedStore::open(folder.path()).unwrap_err(),
        Store::open(folder.path()).unwrap_err(),
    ] {
        assert!(matches!(error, StoreError::Foreign { .. }), "{error}");
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn a_database_of_another_program_is_foreign_and_left_alone() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("evidence.db");
    Connection::open(&path)
        .unwrap()
        .execute_batch("CREATE TABLE diary (day); PRAGMA user_version = 1")
        .unwrap();
    let before = fs::read(&path).unwrap();
    for error in [
        LockedStore::open(folder.path()).unwrap_err(),
        Store::open(folder.path()).unwrap_err(),
    ] {
        assert!(matches!(error, StoreError::Foreign { .. }), "{error}");
    }
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_store_of_a_newer_version_is_read_and_never_written() {
    let folder = tempdir().unwrap();
    ended::stored(folder.path(), 2);
    let path = folder.path().join("evidence.db");
    Connection::open(&path)
        .unwrap()
        .execute_batch("PRAGMA user_version = 99; ALTER TABLE record ADD COLUMN later TEXT")
        .unwrap();
    let before = fs::read(&path).unwrap();
    let error = LockedStore::open(folder.path()).unwrap_err();
    assert!(
        matches!(error, StoreError::Newer { found: 99, .. }),
        "{error}"
    );
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(store.load("latest").unwrap().blocks.len(), 2);
    assert_eq!(store.list().unwrap().len(), 1);
    drop(store);
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_store_of_an_older_version_is_told_and_left_alone() {
    let folder = tempdir().unwrap();
    ended::stored(folder.path(), 1);
    let path = folder.path().join("evidence.db");
    Connection::open(&path)
        .unwrap()
        .execute_batch("PRAGMA user_version = 2")
        .unwrap();
    let before = fs::read(&path).unwrap();
    for error in [
        LockedStore::open(folder.path()).unwrap_err(),
        Store::open(folder.path()).unwrap_err(),
    ] {
        assert!(
            matches!(error, StoreError::Older { found: 2, .. }),
            "{error}"
        );
        assert!(error.to_string().contains("move it away"), "{error}");
    }
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn two_that_make_a_store_at_once_share_it() {
    let folder = tempdir().unwrap();
    let make = |seed: u64| {
        let folder = folder.path();
        move || {
            let mut store = loop {
                match LockedStore::open(folder) {
                    Err(StoreError::Held { .. }) => std::thread::yield_now(),
                    other => break other.unwrap(),
                }
            };
            store.begin("key", &made::experiment(seed)).unwrap()
        }
    };
    std::thread::scope(|scope| {
        let makers: Vec<_> = (0..8).map(|seed| scope.spawn(make(seed))).collect();
        for maker in makers {
            maker.join().unwrap();
        }
    });
    assert_eq!(Store::open(folder.path()).unwrap().list().unwrap().len(), 8);
}

#[test]
fn a_path_that_is_no_plain_text_will_do() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempdir().unwrap();
    let odd = folder
        .path()
        .join(std::ffi::OsStr::from_bytes(b"a b?c=d#%41\xff"));
    ended::stored(&odd, 1);
    assert_eq!(
        Store::open(&odd)
            .unwrap()
            .load("latest")
            .unwrap()
            .blocks
            .len(),
        1
    );
}

#[test]
fn a_folder_that_is_a_file_is_an_error() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(matches!(
        LockedStore::open(&file).unwrap_err(),
        StoreError::Neither { .. }
    ));
    assert!(Store::open(&file).is_err());
}
