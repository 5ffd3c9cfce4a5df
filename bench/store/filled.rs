//! A made-up comparison of many runs, for what is timed on a full store.

use proofmark_evidence::LockedStore;
use proofmark_evidence::record::{
    ArmRef, Benchmark, Block, Build, BuildOrigin, CertificateUse, Comparison, Conclusion, Design,
    Drawing, Experiment, HeapStart, Images, Inputs, Instructions, LayoutControl, Pilot, Question,
    Round, Run, Schedule, Stop, Tool,
};
use proofmark_stats::{Effect, Interval, Verdict};
use proofmark_terms::{ArmIndex, BuildIndex, Layout, Machine, Metric, Population};

/// Two builds, drawn and as shipped, and the taxed base: what a comparison measures when nothing is
/// switched off.
const ARMS: [ArmRef; 5] = [
    ArmRef::Drawn {
        build: BuildIndex(0),
    },
    ArmRef::Drawn {
        build: BuildIndex(1),
    },
    ArmRef::AsShipped {
        build: BuildIndex(0),
    },
    ArmRef::AsShipped {
        build: BuildIndex(1),
    },
    ArmRef::Taxed,
];

/// Rounds of a block.
const ROUNDS: u32 = 200;

/// Runs of a block.
pub(crate) const PER_BLOCK: u32 = ROUNDS * 5;

/// Fills a store with a comparison of so many blocks.
pub(crate) fn fill(store: &mut LockedStore, blocks: u32) {
    let id = store.begin("key", &experiment()).unwrap();
    store.pilot(&id, &pilot()).unwrap();
    let mut state = 1_u64;
    for index in 0..blocks {
        store.block(&id, &block(index, &mut state)).unwrap();
    }
    store.conclude(&id, &conclusion(blocks)).unwrap();
}

/// Times of about 300 ms, whose digits repeat no more than measured ones do.
fn block(index: u32, state: &mut u64) -> Block {
    let mut drawn = |range: u64| {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) % range
    };
    let mut run = || {
        let cpu_ns = 300_000_000 + drawn(9_000_000);
        let (wall_ns, peak_bytes) = (5 * cpu_ns + drawn(90_000_000), (1000 + drawn(50)) << 12);
        // A metric that the program prints: a number with all its digits.
        Run {
            value: 1e15 / (cpu_ns as f64),
            cpu_ns,
            wall_ns,
            peak_bytes,
        }
    };
    let rounds = (0..ROUNDS).map(|_| Round {
        schedule: Schedule::Interleaved,
        order: [4, 2, 0, 1, 3].map(ArmIndex).into(),
        runs: ARMS.map(|_| run()).to_vec(),
    });
    Block {
        index,
        layout: Layout::Drawn {
            seed: u64::MAX - u64::from(index),
        },
        arms: ARMS.to_vec(),
        images: ARMS.map(|_| "5e".repeat(32).parse().unwrap()).to_vec(),
        machine: Machine::default(),
        rounds: rounds.collect(),
        printed: Some("5e".repeat(32).parse().unwrap()),
        began_ms: 1_795_292_045_000 + u64::from(index) * 60_000,
        took_ms: 60_000,
    }
}

fn experiment() -> Experiment {
    let build = |name: &str| Build {
        name: name.to_owned(),
        origin: BuildOrigin::Captured {
            ids: vec!["5e".repeat(32).parse().unwrap()],
            movable: 0.97,
            departures: Vec::new(),
        },
        images: Images::of_program("bench", "1a".repeat(32).parse().unwrap()),
        revision: None,
        patches: Vec::new(),
        toolchain: vec![Tool {
            role: "compiler".to_owned(),
            path: "/usr/bin/gcc".into(),
            version: "gcc 12.2.0".to_owned(),
        }],
        run_as: None,
        tree: None,
        built_by: None,
    };
    let metric = Metric::Output {
        pattern: "(.*)".to_owned(),
        unit: "ops/s".to_owned(),
        higher_is_better: true,
    };
    Experiment {
        patches: Vec::new(),
        question: Question::Compare,
        builds: ["base", "new"].map(build).to_vec(),
        benchmark: Benchmark {
            metric,
            cwd: "/".into(),
            timeout_ms: 60_000,
            ..Benchmark::default()
        },
        design: Design {
            max_blocks: 1_000_000,
            certificate: CertificateUse::Always,
            ..Design::default()
        },
        layouts: LayoutControl::Drawn {
            how: Drawing::Matched,
            population: Population::Pad,
        },
        heap: HeapStart::Drawn,
        seed: 7,
        inputs: Inputs::default(),
        machine: Machine::default(),
        proofmark: "0.1.0".to_owned(),
        began_ms: 1_795_292_045_000,
    }
}

fn pilot() -> Pilot {
    Pilot {
        schedule: Schedule::Interleaved,
        reason: "the program times itself".to_owned(),
        rounds: ROUNDS,
        check: None,
        cpu_ns: vec![300_000_000; 2],
        shifts: Vec::new(),
        program: Vec::new(),
        core: None,
        spread: None,
        resolvable: None,
        company: true,
        block_ms: None,
        took_ms: 0,
    }
}

fn conclusion(blocks: u32) -> Conclusion {
    let [low, estimate, high] = [0.998, 1.0, 1.002].map(Effect::from_ratio);
    let comparison = Comparison {
        build: BuildIndex(1),
        interval: Interval {
            estimate,
            low,
            high,
        },
        median: 0.0,
        spread: 0.01,
        verdict: Verdict::Equivalent,
        decided_after: Some(blocks),
        blocks_needed: None,
        widening: 0.0,
        a_run: None,
        slicing: None,
        as_shipped: None,
        drawn: None,
        layout_alone: None,
        layout_spread: None,
        instructions: Instructions::Unavailable {
            reason: "skipped".to_owned(),
        },
    };
    Conclusion {
        blocks,
        stop: Stop::Decided,
        comparisons: vec![comparison],
        code: Vec::new(),
        certificate: None,
        warnings: Vec::new(),
        took_ms: 1,
    }
}
