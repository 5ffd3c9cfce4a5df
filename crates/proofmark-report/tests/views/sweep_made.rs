//! Sweeps made by hand.

use proofmark_evidence::record::{
    AddressFound, Afresh, Benchmark, ByChance, Inputs, RangeFound, Sweep, SweepConclusion,
    SweepDesign, SweepStop, SweptAddress, SweptFunction,
};
use proofmark_terms::{AddressIndex, Machine, Metric};

use crate::parts;

/// Two addresses of a function with a loop and a copy, by a metric with a long name.
pub(crate) fn swept() -> Sweep {
    Sweep {
        build: parts::build("base"),
        functions: vec![SweptFunction {
            name: "f".to_owned(),
            symbol: "f".to_owned(),
            bytes: 80,
            loops: 1,
            heads: vec![[0x23, 4]],
            copies: vec!["f.constprop.0".to_owned()],
        }],
        benchmark: Benchmark {
            metric: Metric::Output {
                pattern: "took ([0-9]+)".to_owned(),
                unit: "microseconds by its own clock".to_owned(),
                higher_is_better: false,
            },
            ..Benchmark::default()
        },
        design: SweepDesign {
            range: 64,
            step: 16,
            at: Vec::new(),
            inside: None,
            precision: 0.01,
            confidence: 0.95,
            min_blocks: 8,
            max_blocks: 60,
            afresh: 8,
            budget_ms: None,
            seed: 1,
        },
        as_shipped: 0x1000,
        addresses: [0x1000, 0x1010].map(address).to_vec(),
        inside: None,
        against: None,
        left_out: Vec::new(),
        is_run: None,
        inputs: Inputs::default(),
        group: 4,
        rounds: 2,
        pinned: true,
        remarks: Vec::new(),
        machine: Machine::default(),
        proofmark: String::new(),
        began_ms: 0,
    }
}

fn address(address: u64) -> SweptAddress {
    SweptAddress {
        address,
        branches_32: 0,
        branches_64: 0,
        heads_32: 0,
        heads_64: 0,
        other: None,
    }
}

/// The second address takes 2 % more as found; what was measured afresh is given.
pub(crate) fn concluded(afresh: Afresh) -> SweepConclusion {
    let found = |ratio: f64| AddressFound {
        blocks: 8,
        ratio,
        low: ratio * 0.99,
        high: ratio * 1.01,
        together: 0.02,
        spread: Some(ratio),
        spread_low: Some(ratio / 2.0),
        spread_high: Some(ratio * 2.0),
    };
    SweepConclusion {
        stop: SweepStop::Precise,
        addresses: vec![found(1.0), found(1.02)],
        range: Some(RangeFound {
            least: AddressIndex::at(0),
            greatest: AddressIndex::at(1),
            found: 1.02,
            by_noise: 1.01,
            afresh: Some(afresh),
            less_than_shipped: 0,
        }),
        differ: Some(ByChance { p_value: 0.03 }),
        low_bits: None,
        two_way: None,
        stability: Some(ByChance { p_value: 0.001 }),
        took_ms: 1000,
        in_runs_ms: 800,
    }
}
