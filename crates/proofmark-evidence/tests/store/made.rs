//! An experiment and its blocks, made by hand.

use proofmark_evidence::record::{
    ArmRef, Benchmark, Block, Build, BuildOrigin, CertificateUse, Design, Experiment, Inputs,
    LayoutControl, Question, Round, Run, Schedule, Stdin,
};
use proofmark_stats::Margin;
use proofmark_terms::{Machine, Metric, Population};

pub(crate) fn experiment(seed: u64) -> Experiment {
    Experiment {
        question: Question::Compare,
        builds: ["base", "new"].map(build).to_vec(),
        benchmark: Benchmark {
            argv: vec!["{}".into(), "fib.lua".into()],
            metric: Metric::CpuTime,
            env: Vec::new(),
            cwd: "/tmp".into(),
            stdin: Stdin::Null,
            setup: None,
            prepare: None,
            warmup: 0,
            timeout_ms: 60_000,
            allow_output_difference: false,
            ignore_exit: false,
            output_filter: None,
            expected: None,
            fresh_cwd: false,
        },
        design: Design {
            margin: Margin::from_relative(0.01).unwrap(),
            confidence: 0.95,
            min_blocks: 8,
            max_blocks: 60,
            precision: None,
            budget_ms: None,
            rounds: None,
            schedule: None,
            as_shipped: true,
            certificate: CertificateUse::Always,
        },
        layouts: LayoutControl::Matched {
            population: Population::Pad,
        },
        seed,
        inputs: Inputs::default(),
        machine: Machine::default(),
        proofmark: "0.1.0".to_owned(),
        began_ms: 1_795_292_045_000,
    }
}

fn build(name: &str) -> Build {
    Build {
        name: name.to_owned(),
        origin: BuildOrigin::Captured {
            ids: vec!["5e".repeat(32)],
            movable: 1.0,
            departures: Vec::new(),
        },
        image: "1a".repeat(32),
        toolchain: Vec::new(),
        run_as: None,
    }
}

/// A block whose every number follows from its index; values have all their bits in use.
pub(crate) fn block(index: u32, rounds: u32) -> Block {
    let run = |number: u64| {
        let value = 1.0 + f64::from(index) / 3.0 + (number as f64).sqrt();
        Run {
            value,
            cpu_ns: number,
            wall_ns: u64::MAX - number,
            peak_bytes: number << 12,
        }
    };
    Block {
        index,
        layout_seed: u64::MAX - u64::from(index),
        arms: vec![ArmRef::Drawn { build: 0 }, ArmRef::Drawn { build: 1 }],
        images: vec!["c0".repeat(32), "de".repeat(32)],
        rounds: (0..u64::from(rounds))
            .map(|round| Round {
                schedule: Schedule::Interleaved,
                order: vec![1, 0],
                runs: vec![run(2 * round), run(2 * round + 1)],
            })
            .collect(),
        began_ms: 1,
        took_ms: 2,
    }
}
