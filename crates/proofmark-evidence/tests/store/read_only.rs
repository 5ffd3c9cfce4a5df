//! Folders and files that cannot be written, by one who is not root.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use proofmark_evidence::{LockedStore, Store, StoreError};
use rustix::process::{Uid, geteuid};
use rustix::thread::set_thread_res_uid;
use tempfile::tempdir;

use crate::{ended, made};

/// Does something with `folder` as one who may read and enter it and nothing more.
fn without_permission<T: Send>(folder: &Path, act: impl FnOnce() -> T + Send) -> T {
    for entry in fs::read_dir(folder).unwrap() {
        fs::set_permissions(entry.unwrap().path(), Permissions::from_mode(0o444)).unwrap();
    }
    fs::set_permissions(folder, Permissions::from_mode(0o555)).unwrap();
    let done = std::thread::scope(|scope| {
        scope
            .spawn(|| {
                if geteuid().is_root() {
                    // Root may write everywhere; this thread alone becomes nobody.
                    let nobody = Uid::from_raw(65534);
                    set_thread_res_uid(nobody, nobody, nobody).unwrap();
                }
                act()
            })
            .join()
            .unwrap()
    });
    fs::set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
    done
}

#[test]
fn what_is_stored_can_be_read_where_nothing_can_be_written() {
    let folder = tempdir().unwrap();
    ended::stored(folder.path(), 3);
    let path = folder.path();
    let blocks = without_permission(path, || {
        Store::open(path)
            .unwrap()
            .load("latest")
            .unwrap()
            .blocks
            .len()
    });
    assert_eq!(blocks, 3);
}

#[test]
fn measuring_there_is_refused_before_it_begins() {
    let folder = tempdir().unwrap();
    ended::stored(folder.path(), 1);
    let path = folder.path();
    let error = without_permission(path, || LockedStore::open(path).map(drop).unwrap_err());
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
}

#[test]
fn a_store_is_not_made_there() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    for place in [path.to_path_buf(), path.join(".proofmark")] {
        let error = without_permission(path, || LockedStore::open(&place).map(drop).unwrap_err());
        assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
    }
}

#[test]
fn blocks_that_wait_in_the_log_are_not_left_out_in_silence() {
    let folder = tempdir().unwrap();
    let copy = tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let id = store.begin("key", &made::experiment(1)).unwrap();
    store.block(&id, &made::block(0, 1)).unwrap();
    // As a killed process leaves it, but without the file that is shared between processes.
    for file in ["evidence.db", "evidence.db-wal"] {
        fs::copy(folder.path().join(file), copy.path().join(file)).unwrap();
    }
    let path = copy.path();
    let error = without_permission(path, || Store::open(path).map(drop).unwrap_err());
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
    assert!(
        error.to_string().contains("copy the whole folder"),
        "{error}"
    );
    fs::set_permissions(path.join("evidence.db"), Permissions::from_mode(0o644)).unwrap();
    fs::set_permissions(path.join("evidence.db-wal"), Permissions::from_mode(0o644)).unwrap();
    assert_eq!(
        Store::open(path)
            .unwrap()
            .load("latest")
            .unwrap()
            .blocks
            .len(),
        1
    );
}
