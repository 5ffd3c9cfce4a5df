//! Experiments made by hand, one for each thing that a view has to say.

use proofmark_evidence::record::{
    ARun, Alarms, ArmRef, AsShipped, Benchmark, Block, Build, BuildOrigin, Certificate,
    CertificateUse, CodeChange, Comparison, Conclusion, Design, Expected, Experiment, Inputs,
    Instructions, LayoutAlone, LayoutControl, Note, NullConclusion, Observation, Pilot,
    PositionBias, Question, Round, Run, Schedule, Shift, ShiftBound, SliceCheck, Slicing, Stop,
    Warning, WorkChange,
};
use proofmark_evidence::{Recorded, Store};
use proofmark_stats::{Effect, Interval, Margin, Sight, Verdict};
use proofmark_terms::{Machine, Metric, Population, Reading};

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
            ids: vec!["5e".repeat(32)],
            movable: 0.972,
            departures: Vec::new(),
        },
        image: "1a".repeat(32),
        toolchain: vec!["gcc 12.2.0".to_owned(), "GNU ld 2.40".to_owned()],
        run_as: None,
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
        layouts: LayoutControl::Matched {
            population: Population::Pad,
        },
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
                build,
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
        build,
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
        instructions: Instructions::Counted {
            base: 2_000_000_000,
            new: 1_938_000_000,
            by: "valgrind".to_owned(),
            varies: None,
            work: WorkChange::Changed,
        },
    }
}

/// One that breaks an expectation, one without expectations, and then ones that could not be read.
fn code_change(index: usize) -> CodeChange {
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
    let order: Vec<u32> = (0..).take(arms.len()).collect();
    Block {
        index,
        layout_seed: 1000 + u64::from(index),
        arms: arms.to_vec(),
        images: (0..arms.len()).map(|arm| format!("{arm:064x}")).collect(),
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
        began_ms: BEGAN + u64::from(index) * 1500,
        took_ms: 1500,
    }
}

pub(crate) const PAIR: [ArmRef; 2] = [ArmRef::Drawn { build: 0 }, ArmRef::Drawn { build: 1 }];

/// What a store hands out after these records were put in.
pub(crate) fn recorded(
    experiment: &Experiment,
    blocks: u32,
    conclusion: Option<&Conclusion>,
    null: Option<&NullConclusion>,
    notes: &[Note],
) -> Recorded {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    let id = store.begin("key", experiment).unwrap();
    store.pilot(&id, &pilot()).unwrap();
    for index in 0..blocks {
        store.block(&id, &block(index, &PAIR, 2)).unwrap();
    }
    if let Some(conclusion) = conclusion {
        store.conclude(&id, conclusion).unwrap();
    }
    if let Some(null) = null {
        store.null_conclusion(&id, null).unwrap();
    }
    for note in notes {
        store.note(&id, note).unwrap();
    }
    store.load("latest").unwrap()
}

/// Two builds, one verdict.
pub(crate) fn compared(verdict: Verdict, interval: Interval) -> Recorded {
    let conclusion = conclusion(vec![comparison(1, verdict, interval)]);
    recorded(
        &experiment(&["base", "new"]),
        2,
        Some(&conclusion),
        None,
        &[],
    )
}

/// One experiment for each verdict, with a name.
pub(crate) fn verdicts() -> Vec<(&'static str, Recorded)> {
    vec![
        (
            "faster",
            compared(Verdict::Faster, interval(0.961, 0.967, 0.973)),
        ),
        (
            "slower",
            compared(Verdict::Slower, interval(1.021, 1.034, 1.047)),
        ),
        (
            "equivalent",
            compared(Verdict::Equivalent, interval(0.995, 0.999, 1.003)),
        ),
        (
            "faster_negligible",
            compared(
                Verdict::FasterButNegligible,
                interval(0.9935, 0.9955, 0.9975),
            ),
        ),
        (
            "slower_negligible",
            compared(
                Verdict::SlowerButNegligible,
                interval(1.0025, 1.0045, 1.0065),
            ),
        ),
        (
            "undecided",
            compared(Verdict::Undecided, interval(0.985, 0.997, 1.009)),
        ),
    ]
}

/// Nothing could be controlled, and everything is warned of.
pub(crate) fn warned() -> Recorded {
    let mut experiment = experiment(&["base", "new"]);
    experiment.layouts = LayoutControl::AsShipped {
        reason:
            "base was never captured; `proofmark capture base -- BUILD…` makes its layouts vary"
                .to_owned(),
    };
    let mut comparison = comparison(1, Verdict::Slower, interval(1.12, 1.18, 1.24));
    comparison.as_shipped = None;
    comparison.layout_alone = None;
    comparison.instructions = Instructions::Unavailable {
        reason: "valgrind is not installed, and this machine has no counters".to_owned(),
    };
    let mut conclusion = conclusion(vec![comparison]);
    conclusion.certificate = Some(measured(0.998, 1.006, 1.014));
    conclusion.warnings = vec![
        Warning {
            code: "short-runs".to_owned(),
            found: "a run takes 1.2 ms, of which starting the process is a third".to_owned(),
            remedy: "let the benchmark repeat its work until a run takes 20 ms".to_owned(),
        },
        Warning {
            code: "no-idle-core".to_owned(),
            found: "no core was idle".to_owned(),
            remedy: String::new(),
        },
    ];
    let note = Note {
        at_ms: BEGAN,
        text: "the laptop was on battery".to_owned(),
    };
    recorded(&experiment, 2, Some(&conclusion), None, &[note])
}

/// Several builds against one base.
pub(crate) fn several() -> Recorded {
    let comparisons = vec![
        comparison(1, Verdict::Faster, interval(0.961, 0.967, 0.973)),
        comparison(2, Verdict::Equivalent, interval(0.995, 0.999, 1.003)),
        Comparison {
            as_shipped: None,
            ..comparison(3, Verdict::Undecided, interval(0.985, 0.997, 1.009))
        },
    ];
    let names = [
        "gcc-O2",
        "gcc-O3",
        "clang-O2",
        "a-build-with-quite-a-long-name",
    ];
    recorded(
        &experiment(&names),
        2,
        Some(&conclusion(comparisons)),
        None,
        &[],
    )
}

/// A metric of the user's own, of which more is better.
pub(crate) fn rate() -> Recorded {
    let mut experiment = experiment(&["base", "new"]);
    experiment.benchmark.metric = Metric::Output {
        pattern: "ops/s: ([0-9.]+)".to_owned(),
        unit: "ops/s".to_owned(),
        higher_is_better: true,
    };
    let mut comparison = comparison(1, Verdict::Faster, interval(1.021, 1.034, 1.047));
    comparison.a_run = Some(ARun {
        base: 51_234.0,
        new: 52_976.0,
    });
    let mut conclusion = conclusion(vec![comparison]);
    conclusion.certificate = Some(Certificate::Unavailable {
        reason: "the program measures itself, and time that is added after its end is not in that"
            .to_owned(),
    });
    recorded(&experiment, 2, Some(&conclusion), None, &[])
}

pub(crate) fn memory() -> Recorded {
    let mut experiment = experiment(&["base", "new"]);
    experiment.benchmark.metric = Metric::PeakMemory;
    let mut comparison = comparison(1, Verdict::Slower, interval(1.021, 1.034, 1.047));
    comparison.a_run = Some(ARun {
        base: 12_582_912.0,
        new: 13_010_731.0,
    });
    let mut conclusion = conclusion(vec![comparison]);
    conclusion.certificate = None;
    recorded(&experiment, 2, Some(&conclusion), None, &[])
}

pub(crate) fn unfinished() -> Recorded {
    recorded(&experiment(&["base", "new"]), 3, None, None, &[])
}

pub(crate) fn null() -> Recorded {
    let mut experiment = experiment(&["base"]);
    experiment.question = Question::Null;
    let null = NullConclusion {
        blocks: 40,
        stop: Stop::Blocks,
        alarms: Alarms {
            redraws: 10_000,
            verdicts: 10_000,
            alarms: 310,
            negligible: 290,
            rate: 0.031,
            low: 0.0277,
            high: 0.0346,
            allowed: 0.05,
        },
        interval: interval(0.998, 1.0002, 1.0024),
        verdict: Verdict::Equivalent,
        spread: 0.0061,
        resolvable: Some(0.0033),
        position: Some(PositionBias {
            by_position: vec![0.0004, -0.0004],
            p: 0.31,
        }),
        warnings: Vec::new(),
        took_ms: 61_000,
    };
    recorded(&experiment, 2, None, Some(&null), &[])
}

/// Names that try to break out of every format.
pub(crate) fn hostile() -> Recorded {
    let mut experiment = experiment(&[
        "ba|se`<b>,\"",
        "new\x1b[31m\nline @all 日本語日本語日本語日本語日本語日本語日本語",
    ]);
    experiment.benchmark.argv.push("it's; `rm` | $(x)".into());
    let mut conclusion = conclusion(vec![comparison(
        1,
        Verdict::Faster,
        interval(0.961, 0.967, 0.973),
    )]);
    conclusion.certificate = Some(measured(1.0012, 1.0031, 1.0048));
    recorded(&experiment, 1, Some(&conclusion), None, &[])
}

/// All of them.
pub(crate) fn all() -> Vec<(&'static str, Recorded)> {
    let others = [
        ("warned", warned()),
        ("several", several()),
        ("rate", rate()),
        ("memory", memory()),
        ("unfinished", unfinished()),
        ("null", null()),
        ("hostile", hostile()),
    ];
    verdicts().into_iter().chain(others).collect()
}

/// Puts four experiments into a store: finished, of several builds, a null test, unfinished.
pub(crate) fn fill(store: &mut Store) {
    for recorded in [verdicts().remove(0).1, several(), null(), unfinished()] {
        let mut experiment = recorded.experiment;
        experiment.began_ms += u64::try_from(store.list().unwrap().len()).unwrap() * 3_600_000;
        let id = store.begin("key", &experiment).unwrap();
        for block in &recorded.blocks {
            store.block(&id, block).unwrap();
        }
        if let Some(conclusion) = recorded.conclusion {
            store.conclude(&id, &conclusion).unwrap();
        }
        if let Some(null) = recorded.null_conclusion {
            store.null_conclusion(&id, &null).unwrap();
        }
    }
}
