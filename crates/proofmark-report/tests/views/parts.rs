//! What experiments made by hand are put together from.

use proofmark_evidence::record::{
    ARun, ArmRef, AsShipped, Benchmark, Block, Build, BuildOrigin, Certificate, CertificateUse,
    CodeChange, Comparison, Conclusion, Design, Drawing, Expected, Experiment, HeapStart, Images,
    Inputs, Instructions, LayoutAlone, LayoutControl, Observation, Pilot, Question, Revision,
    Round, Run, Schedule, Shift, ShiftBound, SliceCheck, Slicing, Stop, Tool, Vcs, WorkChange,
};
use proofmark_evidence::{LockedStore, Privacy};
use proofmark_stats::{Effect, Interval, Margin, Sight, Verdict};
use proofmark_terms::{ArmIndex, BuildIndex, Layout, Machine, Population, Reading};

/// A store in which equal records have equal names: with one salt for all.
pub(crate) fn store(folder: &std::path::Path) -> LockedStore {
    let privacy = Privacy::new([], || [0; 32]);
    LockedStore::open_with(folder, privacy).unwrap()
}

/// Milliseconds of 2026-11-21 20:14:05 UTC.
pub(crate) const BEGAN: u64 = 1_795_292_045_000;

pub(crate) fn interval(low: f64, estimate: f64, high: f64) -> Interval {
    let [low, estimate, high] = [low, estimate, high].map(Effect::from_ratio);
    Interval {
        estimate,
        low,
        high,
    }
}

pub(crate) fn build(name: &str) -> Build {
    Build {
        name: name.to_owned(),
        origin: BuildOrigin::Captured {
            ids: vec!["5e".repeat(32).parse().unwrap()],
            movable: 0.972,
            departures: Vec::new(),
        },
        images: Images::of_program("bench", "1a".repeat(32).parse().unwrap()),
        revision: Some(Revision {
            vcs: Vcs::Git,
            id: "4f".repeat(20).into(),
            dirty: true,
        }),
        patches: Vec::new(),
        toolchain: [
            ("compiler", "/usr/bin/gcc", "gcc 12.2.0"),
            ("linker", "/usr/bin/ld", "GNU ld 2.40"),
        ]
        .map(|(role, path, version)| Tool {
            role: role.to_owned(),
            path: path.into(),
            version: version.to_owned(),
        })
        .to_vec(),
        run_as: None,
        tree: None,
        built_by: None,
    }
}

pub(crate) fn experiment(names: &[&str]) -> Experiment {
    let facts = [
        (
            "cpu",
            Reading::Known("Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz".to_owned()),
        ),
        ("cores", Reading::Known("2".to_owned())),
        ("kernel", Reading::Known("Linux 6.1.0-18-amd64".to_owned())),
        (
            "governor",
            Reading::Unavailable("no cpufreq in this virtual machine".to_owned()),
        ),
        ("hypervisor", Reading::Known("KVM".to_owned())),
    ];
    Experiment {
        patches: Vec::new(),
        question: Question::Compare,
        builds: names.iter().map(|name| build(name)).collect(),
        benchmark: Benchmark {
            argv: ["{}", "fib.lua", "30"].map(Into::into).to_vec(),
            cwd: "/home/ada/lua".into(),
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
        seed: 16_045_690_984_503_098_046,
        inputs: Inputs::default(),
        machine: Machine {
            facts: facts.map(|(key, fact)| (key.to_owned(), fact)).into(),
        },
        proofmark: "0.1.0".to_owned(),
        began_ms: BEGAN,
    }
}

pub(crate) fn pilot() -> Pilot {
    Pilot {
        schedule: Schedule::Sliced { slice_us: 4000 },
        reason: "slices of 4 ms and whole runs agree".to_owned(),
        rounds: 4,
        check: Some(SliceCheck {
            short_us: 1000,
            short_rounds: 4,
            whole_rounds: 2,
            alone_rounds: 4,
            idle_loops: 60_000,
        }),
        cpu_ns: vec![310_000_000, 300_000_000],
        shifts: vec![Shift {
            estimate: 0.001,
            error: 0.0004,
        }],
        program: (0..2)
            .map(|build| Observation {
                build: BuildIndex(build),
                found: "asks for the number of cores".to_owned(),
                decides: false,
            })
            .collect(),
        core: Some(1),
        spread: Some(0.009),
        resolvable: Some(0.004),
        company: true,
        block_ms: None,
        took_ms: 0,
    }
}

pub(crate) fn comparison(build: u32, verdict: Verdict, interval: Interval) -> Comparison {
    Comparison {
        build: BuildIndex(build),
        interval,
        median: interval.estimate.ln() - 0.001,
        spread: 0.0123,
        verdict,
        decided_after: (verdict != Verdict::Undecided).then_some(14),
        blocks_needed: (verdict == Verdict::Undecided).then_some(141),
        a_run: Some(ARun {
            base: 73_100_000.0,
            new: 73_100_000.0 * interval.estimate.ratio(),
        }),
        widening: 0.0022,
        slicing: Some(Slicing {
            short: ShiftBound {
                estimate: 0.0022,
                half_width: 0.0031,
            },
            whole: ShiftBound {
                estimate: -0.004,
                half_width: 0.012,
            },
            alone: Some(ShiftBound {
                estimate: 0.0011,
                half_width: 0.0042,
            }),
        }),
        as_shipped: Some(AsShipped {
            interval: self::interval(0.921, 0.925, 0.929),
            better_than: Some(0.96),
        }),
        layout_alone: Some(LayoutAlone {
            low_ratio: 0.973,
            high_ratio: 1.028,
            at_most: false,
        }),
        layout_spread: None,
        instructions: Instructions::Counted {
            base: 2_000_000_000,
            new: 1_938_000_000,
            by: "valgrind".to_owned(),
            varies: None,
            work: WorkChange::Changed,
        },
        drawn: None,
    }
}

/// One that breaks an expectation, one without expectations, and then ones that could not be read.
pub(crate) fn code_change(index: usize) -> CodeChange {
    let read = |changed, removed, expectations| CodeChange::Read {
        functions: 6769,
        changed,
        removed,
        renamed: 0,
        expectations,
    };
    match index {
        0 => read(
            12,
            0,
            Some(Expected {
                held: 3,
                broken: vec!["run: indirect_jumps >= 300 expected, 3 found".to_owned()],
                broken_in_base: 0,
            }),
        ),
        1 => read(0, 1, None),
        _ => CodeChange::Unread {
            reason: "new: it is a script".to_owned(),
        },
    }
}

pub(crate) fn measured(low: f64, estimate: f64, high: f64) -> Certificate {
    let interval = interval(low, estimate, high);
    Certificate::Measured {
        interval,
        blocks: 11,
        sight: Sight::of(&interval, Margin::default()),
    }
}

pub(crate) fn conclusion(comparisons: Vec<Comparison>) -> Conclusion {
    let decided = comparisons
        .iter()
        .all(|comparison| comparison.verdict.is_decided());
    let (blocks, stop) = if decided {
        (14, Stop::Decided)
    } else {
        (60, Stop::Blocks)
    };
    Conclusion {
        blocks,
        stop,
        code: (0..comparisons.len()).map(code_change).collect(),
        comparisons,
        certificate: Some(measured(1.0082, 1.0098, 1.0118)),
        warnings: Vec::new(),
        took_ms: 21_000,
    }
}

pub(crate) fn block(index: u32, arms: &[ArmRef], rounds: u32) -> Block {
    let run = |arm: usize, round: u32| {
        let cpu_ns = 300_000_000 + u64::from(index * 1000 + round * 10) + arm as u64;
        Run {
            value: cpu_ns as f64,
            cpu_ns,
            wall_ns: cpu_ns * 2,
            peak_bytes: 4 << 20,
        }
    };
    let order: Vec<ArmIndex> = ArmIndex::all(arms.len()).collect();
    Block {
        index,
        layout: Layout::Drawn {
            seed: 1000 + u64::from(index),
        },
        arms: arms.to_vec(),
        images: (0..arms.len())
            .map(|arm| format!("{arm:064x}").parse().unwrap())
            .collect(),
        machine: Machine::default(),
        rounds: (0..rounds)
            .map(|round| Round {
                schedule: Schedule::Sliced { slice_us: 4000 },
                order: if round % 2 == 0 {
                    order.clone()
                } else {
                    order.iter().rev().copied().collect()
                },
                runs: (0..arms.len()).map(|arm| run(arm, round)).collect(),
            })
            .collect(),
        printed: None,
        began_ms: BEGAN + u64::from(index) * 1500,
        took_ms: 1500,
    }
}

pub(crate) const PAIR: [ArmRef; 2] = [
    ArmRef::Drawn {
        build: BuildIndex(0),
    },
    ArmRef::Drawn {
        build: BuildIndex(1),
    },
];
