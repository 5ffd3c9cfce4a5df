//! Attributions: a chain of their own, with every run in it.

use proofmark_evidence::record::{
    Attribution, AttributionBlock, AttributionConclusion, AttributionDesign, AttributionStop,
    HotFunction, Inputs, LayoutSpread, Run, SweepRound,
};
use proofmark_evidence::{LockedStore, Store, StoreError};
use proofmark_terms::{FunctionIndex, ImageIndex, Machine};
use tempfile::tempdir;

use crate::made;

fn attribution(seed: u64) -> Attribution {
    let experiment = made::experiment(seed);
    let function = |name: &str| HotFunction {
        name: name.to_owned(),
        symbol: name.to_owned(),
        bytes: 50,
        loops: 1,
        heads: Vec::new(),
        samples: Some(7),
    };
    Attribution {
        build: experiment.builds[0].clone(),
        benchmark: experiment.benchmark,
        design: AttributionDesign {
            asked: Vec::new(),
            most: 32,
            screening: 8,
            blocks: 32,
            rounds: None,
            confidence: 0.95,
            budget_ms: None,
            seed: u64::MAX - seed,
        },
        sampled: None,
        screening: None,
        functions: ["f", "g"].map(function).to_vec(),
        left_out: Vec::new(),
        inputs: Inputs::default(),
        rounds: 1,
        pinned: true,
        remarks: Vec::new(),
        machine: Machine::default(),
        proofmark: "test".to_owned(),
        began_ms: seed,
    }
}

fn block(index: u32) -> AttributionBlock {
    let run = |value| Run {
        value,
        cpu_ns: 1,
        wall_ns: 2,
        peak_bytes: 3,
    };
    let round = |order: [u32; 4]| SweepRound {
        order: order.iter().copied().map(ImageIndex).collect(),
        runs: [1.0, 1.5, 2.0, 1.0].map(run).to_vec(),
    };
    AttributionBlock {
        index,
        stage: 0,
        groups: vec![vec![FunctionIndex(0)]],
        others: true,
        one: u64::MAX,
        other: 1,
        starts: [vec![16, 32], vec![48, 64]],
        images: vec!["00".repeat(32).parse().unwrap(); 4],
        measured: [vec![round([2, 0, 1, 3])], vec![round([0, 1, 2, 3])]],
        began_ms: 7,
        took_ms: 9,
    }
}

fn conclusion() -> AttributionConclusion {
    AttributionConclusion {
        stop: AttributionStop::Budget,
        spread: LayoutSpread {
            estimate: 0.02,
            low: 0.01,
            high: 0.03,
            noise: 0.01,
        },
        functions: Vec::new(),
        others: None,
        screened: Vec::new(),
        blocks: 2,
        took_ms: 1,
        in_runs_ms: 1,
    }
}

#[test]
fn an_attribution_is_taken_up_by_its_key_until_it_is_concluded() {
    let folder = tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let id = store.begin_attribution("key", &attribution(1)).unwrap();
    store.attribution_block(&id, &block(0)).unwrap();
    store.attribution_block(&id, &block(1)).unwrap();
    let found = store.unfinished_attribution("key").unwrap().unwrap();
    assert_eq!((&found.id, &found.attribution), (&id, &attribution(1)));
    assert_eq!(found.blocks, [block(0), block(1)]);
    assert_eq!(store.unfinished_attribution("other").unwrap(), None);
    store.conclude_attribution(&id, &conclusion()).unwrap();
    assert_eq!(store.unfinished_attribution("key").unwrap(), None);
    let found = store.load_attribution(id.short()).unwrap();
    assert_eq!(found.conclusion, Some(conclusion()));
    assert_eq!(store.load_attribution("latest").unwrap().id, id);
    let lacking = store.load_attribution("ffff");
    assert!(matches!(lacking, Err(StoreError::NoSuchAttribution { .. })));
    assert_eq!(store.check().unwrap().records, 4);
    // What it rests on is kept: its build's captures.
    assert_eq!(store.uses(0).unwrap().len(), 1);
    assert_eq!(store.uses(8).unwrap(), []);
    assert_eq!(store.list().unwrap(), []);
}

#[test]
fn a_block_that_does_not_add_up_is_damage() {
    let spoilt: [fn(&mut AttributionBlock); 5] = [
        |block| block.index = 1,
        |block| block.measured[1][0].order = [0, 0, 2, 3].map(ImageIndex).into(),
        |block| block.measured[0].clear(),
        |block| block.groups[0] = vec![FunctionIndex(2)],
        |block| block.starts[0].truncate(1),
    ];
    for spoil in spoilt {
        let folder = tempdir().unwrap();
        let mut store = LockedStore::open(folder.path()).unwrap();
        let id = store.begin_attribution("key", &attribution(1)).unwrap();
        let mut bad = block(0);
        spoil(&mut bad);
        store.attribution_block(&id, &bad).unwrap();
        drop(store);
        let read = Store::open(folder.path())
            .unwrap()
            .load_attribution("latest");
        assert!(
            matches!(read, Err(StoreError::DamagedRecord { .. })),
            "{read:?}"
        );
    }
}
