//! An experiment and its blocks, made by hand.

use proofmark_evidence::record::{
    ArmRef, Benchmark, Block, Build, BuildOrigin, CertificateUse, Design, Drawing, Experiment,
    HeapStart, Images, Inputs, LayoutControl, Question, Round, Run, Schedule,
};
use proofmark_terms::{ArmIndex, BuildIndex, Layout, Machine, Population};

pub(crate) fn experiment(seed: u64) -> Experiment {
    Experiment {
        patches: Vec::new(),
        question: Question::Compare,
        builds: ["base", "new"].map(build).to_vec(),
        benchmark: Benchmark {
            argv: vec!["{}".into(), "fib.lua".into()],
            cwd: "/tmp".into(),
            timeout_ms: 60_000,
            ..Benchmark::default()
        },
        design: Design {
            certificate: CertificateUse::Always,
            ..Design::default()
        },
        layouts: LayoutControl::Drawn {
            how: Drawing::Matched,
            population: Population::Pad,
        },
        heap: HeapStart::Drawn,
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
            ids: vec!["5e".repeat(32).parse().unwrap()],
            movable: 1.0,
            departures: Vec::new(),
        },
        images: Images::of_program("bench", "1a".repeat(32).parse().unwrap()),
        revision: None,
        patches: Vec::new(),
        toolchain: Vec::new(),
        run_as: None,
        tree: None,
        built_by: None,
    }
}

/// A block whose every number follows from its index; values have all their bits in use.
pub(crate) fn block(index: u32, rounds: u32) -> Block {
    let run = |number: u64| {
        let value = 1.0 + f64::from(index) / 3.0 + (number as f64).sqrt();
        Run {
            value,
            cpu_ns: number,
            wall_ns: (1 << 53) - 1 - number,
            peak_bytes: number << 12,
        }
    };
    Block {
        index,
        layout: Layout::Drawn {
            seed: u64::MAX - u64::from(index),
        },
        arms: vec![
            ArmRef::Drawn {
                build: BuildIndex(0),
            },
            ArmRef::Drawn {
                build: BuildIndex(1),
            },
        ],
        images: vec![
            "c0".repeat(32).parse().unwrap(),
            "de".repeat(32).parse().unwrap(),
        ],
        machine: Machine::default(),
        rounds: (0..u64::from(rounds))
            .map(|round| Round {
                schedule: Schedule::Interleaved,
                order: vec![ArmIndex(1), ArmIndex(0)],
                runs: vec![run(2 * round), run(2 * round + 1)],
            })
            .collect(),
        printed: Some("c0".repeat(32).parse().unwrap()),
        began_ms: 1,
        took_ms: 2,
    }
}
