//! Sweeps: a chain of their own, with every run in it.

use proofmark_evidence::record::{
    AddressFound, Inputs, Run, Sweep, SweepBlock, SweepConclusion, SweepDesign, SweepRound,
    SweepStage, SweepStop, SweptAddress, SweptFunction,
};
use proofmark_evidence::{LockedStore, Store, StoreError};
use proofmark_terms::{AddressIndex, ImageIndex, Machine};
use rusqlite::Connection;
use tempfile::tempdir;

use crate::made;

fn sweep(seed: u64) -> Sweep {
    let experiment = made::experiment(seed);
    let address = |address| SweptAddress {
        other: None,
        address,
        branches_32: 1,
        branches_64: 0,
        heads_32: 0,
        heads_64: 0,
    };
    Sweep {
        build: experiment.builds[0].clone(),
        functions: vec![SweptFunction {
            name: "f".to_owned(),
            symbol: "f".to_owned(),
            bytes: 50,
            loops: 1,
            heads: vec![[8, 3]],
            copies: vec!["f.constprop.0".to_owned()],
        }],
        benchmark: experiment.benchmark,
        design: SweepDesign {
            inside: None,
            range: 128,
            step: 1,
            at: Vec::new(),
            precision: 0.01,
            confidence: 0.95,
            min_blocks: 8,
            max_blocks: 60,
            afresh: 12,
            budget_ms: None,
            seed: u64::MAX - seed,
        },
        as_shipped: 0x40_1140,
        addresses: [0x40_1100, 0x40_1101].map(address).to_vec(),
        inside: None,
        against: None,
        left_out: Vec::new(),
        is_run: Some(true),
        inputs: Inputs::default(),
        group: 7,
        rounds: 2,
        pinned: true,
        remarks: Vec::new(),
        machine: Machine::default(),
        proofmark: "test".to_owned(),
        began_ms: seed,
    }
}

fn block(index: u32) -> SweepBlock {
    let run = |value| Run {
        value,
        cpu_ns: 1,
        wall_ns: 2,
        peak_bytes: 3,
    };
    let round = |order: [u32; 3]| SweepRound {
        order: order.iter().copied().map(ImageIndex).collect(),
        runs: [1.0, 1.5, 2.0].map(run).to_vec(),
    };
    SweepBlock {
        index,
        stage: SweepStage::Map,
        addresses: vec![AddressIndex(0), AddressIndex(1)],
        images: vec!["00".repeat(32).parse().unwrap(); 3],
        rounds: vec![round([2, 0, 1]), round([0, 1, 2])],
        began_ms: 7,
        took_ms: 9,
    }
}

fn conclusion() -> SweepConclusion {
    SweepConclusion {
        stop: SweepStop::Precise,
        addresses: vec![AddressFound {
            blocks: 8,
            ratio: 1.1,
            low: 1.0,
            high: 1.2,
            together: 0.02,
            spread: None,
            spread_low: None,
            spread_high: None,
        }],
        range: None,
        differ: None,
        low_bits: None,
        two_way: None,
        stability: None,
        took_ms: 1,
        in_runs_ms: 1,
    }
}

#[test]
fn a_sweep_is_taken_up_by_its_key_until_it_is_concluded() {
    let folder = tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let id = store.begin_sweep("key", &sweep(1)).unwrap();
    store.sweep_block(&id, &block(0)).unwrap();
    store.sweep_block(&id, &block(1)).unwrap();
    let found = store.unfinished_sweep("key").unwrap().unwrap();
    assert_eq!((&found.id, &found.sweep), (&id, &sweep(1)));
    assert_eq!(found.blocks, [block(0), block(1)]);
    assert_eq!(store.unfinished_sweep("other").unwrap(), None);
    let by_budget = SweepConclusion {
        stop: SweepStop::Budget,
        ..conclusion()
    };
    store.conclude_sweep(&id, &by_budget).unwrap();
    let found = store.unfinished_sweep("key").unwrap().unwrap();
    assert_eq!((&found.id, found.conclusion), (&id, Some(by_budget)));
    store.conclude_sweep(&id, &conclusion()).unwrap();
    assert_eq!(store.unfinished_sweep("key").unwrap(), None);
    let later = store.begin_sweep("key", &sweep(2)).unwrap();
    let found = store.load_sweep(id.short()).unwrap();
    assert_eq!(found.conclusion, Some(conclusion()));
    assert_eq!(store.load_sweep("latest").unwrap().id, later);
    assert!(matches!(
        store.load_sweep("ffff"),
        Err(StoreError::NoSuchSweep { .. })
    ));
    assert_eq!(store.check().unwrap().records, 6);
    // What it rests on is kept: its build's captures.
    assert_eq!(store.uses(0).unwrap().len(), 2);
    assert_eq!(store.uses(8).unwrap(), []);
    // No comparison: `report --list` does not know what to make of one.
    assert_eq!(store.list().unwrap(), []);
}

#[test]
fn a_block_that_was_altered_or_does_not_add_up_is_damage() {
    let spoils: [fn(&mut SweepBlock); 3] = [
        |bad| bad.index = 1,
        |bad| bad.rounds[1].order[1] = ImageIndex(2),
        |bad| bad.addresses[1] = AddressIndex(2),
    ];
    for spoil in spoils {
        let folder = tempdir().unwrap();
        let mut store = LockedStore::open(folder.path()).unwrap();
        let id = store.begin_sweep("key", &sweep(1)).unwrap();
        let mut bad = block(0);
        spoil(&mut bad);
        store.sweep_block(&id, &bad).unwrap();
        drop(store);
        let read = Store::open(folder.path()).unwrap().load_sweep("latest");
        assert!(
            matches!(read, Err(StoreError::DamagedRecord { .. })),
            "{read:?}"
        );
    }
    let folder = tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let id = store.begin_sweep("key", &sweep(1)).unwrap();
    store.sweep_block(&id, &block(0)).unwrap();
    drop(store);
    let file = folder.path().join("evidence.db");
    let connection = Connection::open(file).unwrap();
    connection
        .execute_batch(
            "DROP TRIGGER record_no_update; UPDATE record SET body = replace(body, '1.5', '1.25')",
        )
        .unwrap();
    drop(connection);
    let read = Store::open(folder.path()).unwrap().load_sweep("latest");
    assert!(
        matches!(read, Err(StoreError::DamagedRecord { .. })),
        "{read:?}"
    );
}
