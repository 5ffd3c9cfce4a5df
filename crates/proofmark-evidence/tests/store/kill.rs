//! `kill -9` at random moments loses at most the block in flight.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use proofmark_evidence::{LockedStore, Store};
use tempfile::tempdir;

use crate::made;

const FOLDER: &str = "PROOFMARK_TEST_STORE";

/// Rounds of a block: some fit into a page, some take twenty.
fn rounds(index: u32) -> u32 {
    [1, 40, 600][index as usize % 3]
}

/// Not a test of its own: the process that the test below kills. It goes on where the last one was
/// killed, and says after each block that it is stored.
#[test]
#[ignore = "started by the test below"]
fn writer() {
    let mut store = LockedStore::open(std::env::var_os(FOLDER).unwrap().as_ref()).unwrap();
    let id = match store.unfinished("key").unwrap() {
        Some(id) => id,
        None => store.begin("key", &made::experiment(1)).unwrap(),
    };
    let done = u32::try_from(store.load(id.as_str()).unwrap().blocks.len()).unwrap();
    for index in done..done + 1000 {
        store
            .block(&id, &made::block(index, rounds(index)))
            .unwrap();
        // In one piece: `eprintln!` writes the number by itself, and may be killed before it.
        let line = format!("stored {index}\n");
        std::io::stderr().write_all(line.as_bytes()).unwrap();
    }
}

/// Lets the writer store `blocks` blocks, waits a little by doing nothing `spins` times, and kills
/// it. Says how many blocks the writer knew to be stored, if it came to store one.
fn write_and_kill(folder: &Path, blocks: usize, spins: u64) -> u32 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "kill::writer", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap())
        .lines()
        .map(Result::unwrap);
    let mut said: Vec<String> = lines.by_ref().take(blocks).collect();
    assert_eq!(said.len(), blocks, "the writer ended by itself: {said:?}");
    (0..spins).for_each(|_| std::hint::spin_loop());
    child.kill().unwrap();
    child.wait().unwrap();
    said.extend(lines);
    said.last()
        .and_then(|line| line.strip_prefix("stored "))
        .map_or(0, |index| index.parse::<u32>().unwrap() + 1)
}

#[test]
fn fifty_kills_lose_no_finished_block() {
    let folder = tempdir().unwrap();
    let mut known = 0;
    // Steps of the golden ratio: spread over their range without a generator.
    for kill in 1_u64..=50 {
        let drawn = kill.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let said = write_and_kill(
            folder.path(),
            usize::try_from(drawn % 4).unwrap(),
            drawn % 100_000,
        );
        known = known.max(said);
        let Ok(store) = Store::open(folder.path()) else {
            assert_eq!(known, 0, "the store is gone");
            continue;
        };
        let Ok(recorded) = store.load("latest") else {
            assert_eq!(known, 0, "the experiment is gone");
            continue;
        };
        let stored = u32::try_from(recorded.blocks.len()).unwrap();
        assert!(
            stored == known || stored == known + 1,
            "kill {kill}: {known} known to be stored, {stored} there"
        );
        for (index, block) in (0..).zip(&recorded.blocks) {
            assert_eq!(*block, made::block(index, rounds(index)), "kill {kill}");
        }
        known = stored;
    }
    assert!(known > 50, "only {known} blocks in fifty sittings");
    LockedStore::open(folder.path()).unwrap().check().unwrap();
}
