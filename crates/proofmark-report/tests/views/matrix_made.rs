//! A matrix made by hand: five cells, of which one is slower than it should be.

use proofmark_evidence::record::{
    Against, Asked, CellCode, Claim, Expectation, FactFound, GateFound, Guard, JudgedClaim,
    JudgedGuard, MatrixConclusion, MatrixRun, Member, MemberEffect, NoIdleCore, Out, Outlier,
    ScaleEffect, ScaleLine, Size, Stop, SuiteEffect, Unbuilt, Warning,
};
use proofmark_evidence::{PrivateParts, RecordedMatrix};
use proofmark_report::matrix::MatrixView;
use proofmark_stats::{Bounded, Effect, Holds, Interval, Part, Standing, Verdict};
use proofmark_terms::{CellIndex, MemberIndex};

use crate::made;

pub(crate) const CELLS: [&str; 5] = [
    "clang18",
    "gcc12",
    "clang19",
    "clang19 taildup",
    "clang19 tailcall",
];

/// new ÷ base of each cell against clang18.
pub(crate) const TIMES: [f64; 5] = [1.0, 0.99, 1.09, 1.003, 0.97];

pub(crate) fn interval(ratio: f64) -> Interval {
    let [estimate, low, high] = [ratio, ratio - 0.008, ratio + 0.009].map(Effect::from_ratio);
    Interval {
        estimate,
        low,
        high,
    }
}

pub(crate) fn verdict(ratio: f64) -> Verdict {
    match ratio {
        r if (r - 1.0).abs() < 0.004 => Verdict::Equivalent,
        r if (r - 1.0).abs() < 0.009 => Verdict::Undecided,
        r if r < 1.0 => Verdict::Faster,
        _ => Verdict::Slower,
    }
}

pub(crate) fn ratio(cell: u32, baseline: u32) -> f64 {
    TIMES[cell as usize] / TIMES[baseline as usize]
}

pub(crate) fn pairs() -> Vec<(u32, u32)> {
    (0..5)
        .flat_map(|cell| (0..3).map(move |base| (cell, base)))
        .filter(|(cell, base)| cell != base)
        .collect()
}

pub(crate) fn claim() -> JudgedClaim {
    let against = |(baseline, holds)| Against {
        baseline: CellIndex(baseline),
        alone: interval(ratio(4, baseline)),
        holds_alone: holds,
        together: interval(ratio(4, baseline)),
        holds,
    };
    JudgedClaim {
        claim: Claim {
            name: "claim".to_owned(),
            new: CellIndex(4),
            base: None,
            at_least: 0.1,
            benchmarks: Vec::new(),
        },
        over: vec![MemberIndex(0), MemberIndex(2)],
        missing: Vec::new(),
        against: [(0, Holds::No), (1, Holds::No), (2, Holds::Yes)]
            .map(against)
            .to_vec(),
        standing: Standing::BaselineDependent,
    }
}

pub(crate) fn suite_effects() -> Vec<SuiteEffect> {
    let effect = |(cell, baseline)| SuiteEffect {
        cell: CellIndex(cell),
        baseline: CellIndex(baseline),
        over: if cell == 3 {
            vec![MemberIndex(2)]
        } else {
            [0, 2].map(MemberIndex).into()
        },
        blocks: 12,
        interval: interval(ratio(cell, baseline)),
        verdict: verdict(ratio(cell, baseline)),
        blocks_needed: None,
    };
    pairs().into_iter().map(effect).collect()
}

/// Of each benchmark, but for the cell that is out of the first one.
pub(crate) fn member_effects() -> Vec<MemberEffect> {
    let effect = |member| {
        move |(cell, baseline)| MemberEffect {
            member: MemberIndex(member),
            cell: CellIndex(cell),
            baseline: CellIndex(baseline),
            blocks: 12 + member,
            interval: interval(ratio(cell, baseline)),
            median: 0.0,
            spread: 0.01,
            verdict: verdict(ratio(cell, baseline)),
            decided_after: Some(8),
            widening: 0.0,
            blocks_needed: None,
        }
    };
    (0..3)
        .flat_map(|member| pairs().into_iter().map(effect(member)))
        .filter(|effect| (effect.member.0, effect.cell.0) != (0, 3))
        .collect()
}

pub(crate) fn code_of_cells() -> Vec<CellCode> {
    let code = |jumps, broken: &[&str]| CellCode {
        facts: vec![FactFound::Counted { value: jumps }],
        expectations: Some(Expectation {
            held: 2,
            broken: broken.iter().map(|&text| text.to_owned()).collect(),
        }),
    };
    vec![
        code(332, &[]),
        code(18, &[]),
        code(3, &["run: 3 indirect_jumps, expected at least 41"]),
        code(332, &[]),
        code(0, &[]),
    ]
}

pub(crate) fn bounded(estimate: f64) -> Bounded {
    Bounded {
        estimate,
        low: estimate - 0.2e6,
        high: estimate + 0.2e6,
    }
}

/// A suite that one build passes and another does not.
pub(crate) fn gates() -> Vec<GateFound> {
    let found = |cell: &str, passed, said: &str, differs: &[&str]| GateFound {
        gate: "tests".to_owned(),
        cell: cell.to_owned(),
        passed,
        said: said.to_owned(),
        differs: differs.iter().map(|line| (*line).to_owned()).collect(),
        flaky: vec!["net::slow".to_owned()],
    };
    let broken = "a test with quite a long name, as they are: passed, now failed";
    vec![
        found(
            "clang18",
            true,
            "base: 47 passed, 1 failed; 1 test not the same each time, and decide nothing",
            &[],
        ),
        found("clang19", true, "48 tests as on clang18", &[]),
        found(
            "gcc13",
            false,
            "1 test worse than on clang18; 47 tests as there",
            &[broken],
        ),
    ]
}

/// The same, and each other cell passes: a cell that does not is never timed.
fn gates_of_all() -> Vec<GateFound> {
    let found = gates();
    let passes = found[1].clone();
    let others = CELLS
        .iter()
        .filter(|cell| found.iter().all(|one| one.cell != **cell));
    let others = others.map(|cell| GateFound {
        cell: (*cell).to_owned(),
        ..passes.clone()
    });
    found.iter().cloned().chain(others).collect()
}

pub(crate) fn conclusion() -> MatrixConclusion {
    MatrixConclusion {
        asked: Asked {
            claims: vec![claim().claim],
            facts: vec!["run:indirect_jumps".to_owned()],
            expectations: Some("0".repeat(64).parse().unwrap()),
            unbuilt: vec![
                Unbuilt {
                    cell: "clang20".to_owned(),
                    why: "there is no clang-20 on this machine\n  next: install it".to_owned(),
                    baseline: false,
                    main: false,
                    claims: Vec::new(),
                },
                Unbuilt {
                    cell: "gcc13".to_owned(),
                    why: "gate tests fails: 1 test worse than on clang18; 47 tests as there"
                        .to_owned(),
                    baseline: false,
                    main: false,
                    claims: Vec::new(),
                },
            ],
            gates: gates_of_all(),
            guards: Vec::new(),
            race: Vec::new(),
        },
        blocks: 31,
        stop: Stop::Decided,
        confidence: 0.95,
        suite: suite_effects(),
        effects: member_effects(),
        out: vec![Out {
            member: MemberIndex(0),
            cell: CellIndex(3),
            why: "it printed something else than clang18: line 2 is “8”, and not “7”\n  command: x"
                .to_owned(),
        }],
        claims: vec![claim()],
        guards: Vec::new(),
        outliers: vec![Outlier {
            baseline: CellIndex(2),
            peers: vec![CellIndex(0), CellIndex(1)],
            over: vec![MemberIndex(0), MemberIndex(2)],
            ratio: 1.095,
        }],
        lines: vec![ScaleLine {
            benchmark: "sieve".to_owned(),
            cell: CellIndex(4),
            blocks: 12,
            fixed: bounded(3e6),
            slope: bounded(5e5),
            misfit: 0.08,
        }],
        scale: vec![ScaleEffect {
            benchmark: "sieve".to_owned(),
            cell: CellIndex(4),
            baseline: CellIndex(0),
            fixed: Part::NotFromZero,
            fixed_beyond: bounded(-1.52e6),
            proportional: Part::Ratio {
                interval: interval(0.97),
            },
            proportional_beyond: Some(bounded(-1.5e4)),
        }],
        code: code_of_cells(),
        warnings: vec![Warning::NoIdleCore {
            core: NoIdleCore::Taken { core: 1 },
        }],
        took_ms: 754_000,
    }
}

/// The same where the sieve is a guard.
pub(crate) fn guarded() -> MatrixConclusion {
    let mut all = conclusion();
    all.asked.guards = vec![Guard {
        benchmark: "sieve".to_owned(),
        most: 0.02,
    }];
    let held = [Holds::Yes, Holds::No, Holds::Open, Holds::Yes];
    let guard = |(cell, holds)| JudgedGuard {
        member: MemberIndex(2),
        cell: CellIndex(cell),
        holds,
    };
    all.guards = (1..).zip(held).map(guard).collect();
    all
}

/// Shows a recorded matrix.
pub(crate) fn shown<T>(show: impl FnOnce(&MatrixView<'_>) -> T) -> T {
    shown_of(&conclusion(), show)
}

/// Shows one that came to this.
pub(crate) fn shown_of<T>(
    conclusion: &MatrixConclusion,
    show: impl FnOnce(&MatrixView<'_>) -> T,
) -> T {
    let folder = tempfile::tempdir().unwrap();
    let mut store = crate::parts::store(folder.path());
    let experiment = made::verdicts()[0].1.experiment.clone();
    let experiment_id = store.begin("key", &experiment).unwrap();
    let members = [("fib", None), ("sieve", Some(100)), ("sieve", Some(200))];
    let member = |(name, size): (&str, Option<u64>)| Member {
        benchmark: name.to_owned(),
        size: size.map(|value| Size {
            name: "N".to_owned(),
            value,
        }),
        experiment: experiment_id.clone(),
    };
    let run = MatrixRun {
        cells: CELLS.map(str::to_owned).to_vec(),
        baselines: vec![CellIndex(0), CellIndex(1), CellIndex(2)],
        kinds: vec!["clang".to_owned(); CELLS.len()],
        members: members.map(member).to_vec(),
        proofmark: "0.1.0".to_owned(),
        began_ms: 1_795_292_045_000,
    };
    let id = store.begin_matrix("key", &run).unwrap();
    store.conclude_matrix(&id, conclusion).unwrap();
    let RecordedMatrix {
        run, conclusion, ..
    } = store.load_matrix("latest").unwrap();
    show(&MatrixView {
        id: &id,
        run: &run,
        experiments: vec![&experiment; 3],
        conclusion: &conclusion.unwrap(),
        warned: &[],
        private: PrivateParts::Here,
    })
}
