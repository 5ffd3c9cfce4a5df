//! The right to measure, between processes.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::time::Duration;

use proofmark_evidence::{LockedStore, StoreError};
use rustix::fs::{FlockOperation, flock};
use tempfile::tempdir;

/// Where the process that is started finds the store.
const FOLDER: &str = "PROOFMARK_TEST_STORE";

/// Not a test of its own: the process that the test below starts. It takes the lock, says so, and
/// waits until it is killed.
#[test]
#[ignore = "started by the test below"]
fn holder() {
    let _store = LockedStore::open(std::env::var_os(FOLDER).unwrap().as_ref()).unwrap();
    eprintln!("held");
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

#[test]
fn a_second_process_is_told_who_measures_and_a_killed_one_leaves_no_lock() {
    let folder = tempdir().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "lock::holder", "--nocapture"])
        .env(FOLDER, folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    BufReader::new(child.stderr.take().unwrap())
        .read_line(&mut said)
        .unwrap();
    assert_eq!(said, "held\n");
    let error = LockedStore::open(folder.path()).unwrap_err();
    let StoreError::Held {
        holder: Some(holder),
        ..
    } = &error
    else {
        panic!("{error}")
    };
    assert_eq!(holder.pid, child.id());
    assert!(holder.command.contains("lock::holder"), "{holder}");
    assert!(
        error
            .to_string()
            .contains(&format!("process {}", child.id())),
        "{error}"
    );
    child.kill().unwrap();
    child.wait().unwrap();
    LockedStore::open(folder.path()).unwrap();
}

#[test]
fn a_lock_that_is_dropped_can_be_taken_again() {
    let folder = tempdir().unwrap();
    let first = LockedStore::open(folder.path()).unwrap();
    let second = LockedStore::open(folder.path());
    assert!(matches!(second, Err(StoreError::Held { .. })));
    drop(first);
    LockedStore::open(folder.path()).unwrap();
}

/// A child that was just being started has the lock of a killed process for a moment.
#[test]
fn a_lock_whose_holder_has_ended_is_waited_for() {
    let folder = tempdir().unwrap();
    drop(LockedStore::open(folder.path()).unwrap());
    let mut ended = Command::new("true").spawn().unwrap();
    ended.wait().unwrap();
    let file = folder.path().join("measuring.lock");
    let holder = serde_json::json!({"pid": ended.id(), "command": "it", "since_ms": 0});
    fs::write(&file, holder.to_string()).unwrap();
    let held = File::open(&file).unwrap();
    flock(&held, FlockOperation::LockExclusive).unwrap();
    let child = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        drop(held);
    });
    LockedStore::open(folder.path()).unwrap();
    child.join().unwrap();
}
