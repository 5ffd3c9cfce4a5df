//! Which builds are still wanted.

use proofmark_evidence::record::{BuildOrigin, Experiment, Pin, PinState};
use proofmark_evidence::{LockedStore, UseReason};
use proofmark_terms::CaptureId;
use tempfile::tempdir;

use crate::made;

fn capture_of(name: &str) -> CaptureId {
    blake3::hash(name.as_bytes()).into()
}

/// An experiment on a capture of this name.
fn on(capture: &str, began_ms: u64) -> Experiment {
    let mut experiment = made::experiment(began_ms);
    experiment.began_ms = began_ms;
    for build in &mut experiment.builds {
        build.origin = BuildOrigin::Captured {
            ids: vec![capture_of(capture)],
            movable: 1.0,
            departures: Vec::new(),
        };
    }
    experiment
}

fn pin(state: PinState) -> Pin {
    Pin { at_ms: 1, state }
}

#[test]
fn pinned_and_recent_experiments_name_their_captures_and_others_do_not() {
    let folder = tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let old = store.begin("old", &on("a", 10)).unwrap();
    let new = store.begin("new", &on("b", 100)).unwrap();
    let pinned = store.begin("pinned", &on("c", 20)).unwrap();
    let gone_on_with = store.begin("again", &on("d", 30)).unwrap();
    store.pin(&pinned, &pin(PinState::Pinned)).unwrap();
    let mut block = made::block(0, 1);
    block.began_ms = 100;
    store.block(&gone_on_with, &block).unwrap();
    let uses = store.uses(100).unwrap();
    let found: Vec<_> = uses
        .iter()
        .map(|one| (&one.chain, one.captures[0].clone(), one.why))
        .collect();
    assert_eq!(
        found,
        [
            (gone_on_with.chain(), capture_of("d"), UseReason::Recent),
            (pinned.chain(), capture_of("c"), UseReason::Pinned),
            (new.chain(), capture_of("b"), UseReason::Recent),
        ]
    );
    assert!(store.load(pinned.as_str()).unwrap().pinned);
    assert!(!store.load(old.as_str()).unwrap().pinned);
    store.pin(&pinned, &pin(PinState::Released)).unwrap();
    assert!(!store.load(pinned.as_str()).unwrap().pinned);
    assert_eq!(store.uses(100).unwrap().len(), 2);
    assert_eq!(store.uses(101).unwrap(), []);
    store.check().unwrap();
}
