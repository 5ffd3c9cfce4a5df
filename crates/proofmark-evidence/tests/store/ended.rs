//! What stands before and after the blocks of an experiment, made by hand.

use std::path::Path;

use proofmark_evidence::record::{
    Alarms, Comparison, Conclusion, Instructions, NullConclusion, Pilot, PositionBias, Schedule,
    Stop,
};
use proofmark_evidence::{ExperimentId, LockedStore};
use proofmark_terms::{BuildIndex, Effect, Interval, Verdict};

use crate::made;

pub(crate) fn pilot() -> Pilot {
    Pilot {
        schedule: Schedule::Interleaved,
        reason: "whole runs were asked for".to_owned(),
        rounds: 3,
        check: None,
        cpu_ns: vec![1, 2],
        shifts: Vec::new(),
        program: Vec::new(),
        core: None,
        spread: Some(0.1),
        resolvable: None,
        company: true,
        block_ms: None,
        took_ms: 0,
    }
}

pub(crate) fn interval() -> Interval {
    let [low, estimate, high] = [-0.04, -0.03, -0.02].map(Effect::from_ln);
    Interval {
        estimate,
        low,
        high,
    }
}

pub(crate) fn conclusion(blocks: u32) -> Conclusion {
    let comparison = Comparison {
        build: BuildIndex(1),
        interval: interval(),
        median: -0.03,
        spread: 0.01,
        verdict: Verdict::Faster,
        decided_after: Some(blocks),
        blocks_needed: None,
        widening: 0.0,
        a_run: None,
        slicing: None,
        as_shipped: None,
        layout_alone: None,
        layout_spread: None,
        instructions: Instructions::Unavailable {
            reason: "skipped".to_owned(),
        },
        drawn: None,
    };
    Conclusion {
        blocks,
        stop: Stop::Decided,
        comparisons: vec![comparison],
        code: Vec::new(),
        certificate: None,
        warnings: Vec::new(),
        took_ms: 9,
    }
}

pub(crate) fn null_conclusion(blocks: u32) -> NullConclusion {
    NullConclusion {
        blocks,
        stop: Stop::Blocks,
        alarms: Alarms {
            redraws: 100,
            verdicts: 100,
            alarms: 3,
            negligible: 2,
            rate: 0.03,
            low: 0.006,
            high: 0.085,
            allowed: 0.05,
        },
        interval: interval(),
        verdict: Verdict::Faster,
        spread: 0.01,
        resolvable: Some(0.004),
        position: Some(PositionBias {
            by_position: vec![0.1, -0.1],
            p: 0.5,
        }),
        warnings: Vec::new(),
        took_ms: 9,
    }
}

/// A store that holds one experiment with a pilot and `blocks` blocks; closed again.
pub(crate) fn stored(folder: &Path, blocks: u32) -> ExperimentId {
    let mut store = LockedStore::open(folder).unwrap();
    let id = store.begin("key", &made::experiment(7)).unwrap();
    store.pilot(&id, &pilot()).unwrap();
    for index in 0..blocks {
        store.block(&id, &made::block(index, 3)).unwrap();
    }
    id
}
