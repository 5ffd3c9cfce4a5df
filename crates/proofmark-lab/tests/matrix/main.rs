//! A matrix conducted and concluded in recorded worlds whose truth is known.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

mod claims;
mod forged;
mod guards;
mod ledger;
#[path = "../support/normal.rs"]
mod normal;
#[path = "../support/program.rs"]
mod program;
mod sizes;
mod worlds;

use std::cell::Cell;
use std::rc::Rc;

use proofmark_evidence::record::{
    Asked, Exclusion, MatrixConclusion, MemberEffect, Schedule, Stop, SuiteEffect,
};
use proofmark_lab::{LabError, Rig as _};
use proofmark_stats::{Bounded, Effect, Part, Verdict};
use proofmark_terms::{BuildIndex, MemberIndex, Metric};
use worlds::{Suite, World, Worlds};

fn suite(conclusion: &MatrixConclusion, cell: u32, baseline: u32) -> SuiteEffect {
    let all = &conclusion.suite;
    all.iter()
        .find(|one| (one.cell.0, one.baseline.0) == (cell, baseline))
        .unwrap()
        .clone()
}

fn effect(conclusion: &MatrixConclusion, at: (u32, u32, u32)) -> Option<&MemberEffect> {
    let all = &conclusion.effects;
    all.iter()
        .find(|one| (one.member.0, one.cell.0, one.baseline.0) == at)
}

/// Cells a (base), b (base, 10 % slower), c (15 % faster than a), d (like a).
const TRUTH: [f64; 4] = [60.0, 66.0, 51.0, 60.03];

fn two_benchmarks() -> (Suite, Worlds) {
    let half = TRUTH.map(|milliseconds| milliseconds / 2.0);
    let world = |salt, truth| World {
        layouts: 0.004,
        ..World::new(salt, truth)
    };
    (
        Suite::new(4, &[0, 1], &[("x", None), ("y", None)]),
        Worlds(vec![world(1, &TRUTH), world(2, &half)]),
    )
}

#[test]
fn every_cell_is_held_against_every_baseline_on_each_benchmark_and_on_the_suite() {
    let (mut matrix, mut worlds) = two_benchmarks();
    let conclusion = matrix.conduct(&mut worlds, &Asked::default()).unwrap();
    assert_eq!(conclusion.stop, Stop::Decided);
    for baseline in [0, 1] {
        for cell in (0..4).filter(|&cell| cell != baseline) {
            let truth = Effect::from_ratio(TRUTH[cell as usize] / TRUTH[baseline as usize]);
            for member in [0, 1] {
                let found = effect(&conclusion, (member, cell, baseline)).unwrap();
                assert!(found.interval.contains(truth), "{found:?}");
                assert!(found.verdict.is_decided());
            }
            let found = suite(&conclusion, cell, baseline);
            assert!(found.interval.contains(truth), "{found:?}");
            assert_eq!(found.over, [0, 1].map(MemberIndex));
        }
    }
    assert_eq!(suite(&conclusion, 2, 0).verdict, Verdict::Faster);
    assert_eq!(suite(&conclusion, 3, 0).verdict, Verdict::Equivalent);
    // The geometric mean of two equal effects is that effect, and of their blocks the mean.
    let (x, y) = (
        effect(&conclusion, (0, 2, 0)).unwrap(),
        effect(&conclusion, (1, 2, 0)).unwrap(),
    );
    assert_eq!(x.blocks, y.blocks);
    let mean = f64::midpoint(x.interval.estimate.ln(), y.interval.estimate.ln());
    assert!((suite(&conclusion, 2, 0).interval.estimate.ln() - mean).abs() < 1e-12);
}

#[test]
fn a_cell_drops_out_when_it_is_decided_and_baselines_stay_to_the_end() {
    let (mut matrix, mut worlds) = two_benchmarks();
    matrix.conduct(&mut worlds, &Asked::default()).unwrap();
    for member in [0, 1] {
        let blocks = matrix.blocks(member);
        assert!(blocks[&2] < blocks[&3], "c is decided before d: {blocks:?}");
        assert_eq!((blocks[&0], blocks[&1]), (blocks[&3], blocks[&3]));
    }
    // Nothing is open: the same again measures nothing.
    let mut again = Worlds(vec![World::new(1, &TRUTH), World::new(2, &TRUTH)]);
    matrix.conduct(&mut again, &Asked::default()).unwrap();
    assert_eq!(again.0[0].runs + again.0[1].runs, 0);
}

#[test]
fn a_matrix_interrupted_anywhere_ends_as_the_undisturbed_one() {
    let undisturbed = {
        let (mut matrix, mut worlds) = two_benchmarks();
        let conclusion = matrix.conduct(&mut worlds, &Asked::default()).unwrap();
        (conclusion, matrix.blocks(0), matrix.blocks(1))
    };
    // Rounds until the interruption: in a pilot, between pilots, within blocks and between them.
    for patience in [0, 7, 16, 21] {
        let (mut matrix, worlds) = two_benchmarks();
        let mut interrupted = worlds.clone();
        interrupted.0[patience as usize % 2].patience = Some(patience);
        let stopped = matrix.conduct(&mut interrupted, &Asked::default());
        assert!(
            matches!(stopped, Err(LabError::Interrupted)),
            "{patience}: {stopped:?}"
        );
        let conclusion = matrix
            .conduct(&mut worlds.clone(), &Asked::default())
            .unwrap();
        assert!(
            (conclusion, matrix.blocks(0), matrix.blocks(1)) == undisturbed,
            "interrupted after {patience} rounds"
        );
    }
}

#[test]
fn a_cell_that_fails_is_out_of_that_benchmark_alone() {
    for block in [None, Some(0), Some(5)] {
        let (mut matrix, mut worlds) = two_benchmarks();
        worlds.0[0].fails = Some((block, 2));
        let conclusion = matrix.conduct(&mut worlds, &Asked::default()).unwrap();
        assert_eq!(conclusion.stop, Stop::Decided);
        let [out] = conclusion.out.as_slice() else {
            panic!("one cell is out: {:?}", conclusion.out);
        };
        assert_eq!((out.member.0, out.cell.0), (0, 2));
        assert!(out.why.contains("printed something else"), "{out:?}");
        assert_eq!(effect(&conclusion, (0, 2, 0)), None);
        assert!(effect(&conclusion, (1, 2, 0)).is_some());
        assert_eq!(suite(&conclusion, 2, 0).over, [1].map(MemberIndex));
        assert_eq!(suite(&conclusion, 3, 0).over, [0, 1].map(MemberIndex));
        let id = matrix.load().members[0].under_way.id.clone();
        let recorded = matrix.store.load(id.as_str()).unwrap();
        let blocks = block.unwrap_or(0);
        assert!(
            matches!(recorded.exclusions.as_slice(), [Exclusion { build: BuildIndex(2), blocks: at, .. }] if *at == blocks)
        );
    }
}

#[test]
fn a_baseline_that_fails_leaves_the_other_baselines() {
    let (mut matrix, mut worlds) = two_benchmarks();
    worlds.0[0].fails = Some((None, 0));
    let conclusion = matrix.conduct(&mut worlds, &Asked::default()).unwrap();
    assert_eq!(effect(&conclusion, (0, 3, 0)), None);
    let truth = Effect::from_ratio(60.03 / 66.0);
    assert!(
        effect(&conclusion, (0, 3, 1))
            .unwrap()
            .interval
            .contains(truth)
    );
    assert_eq!(suite(&conclusion, 3, 0).over, [1].map(MemberIndex));
}

#[test]
fn three_baselines_cost_little_more_than_one() {
    // Eight cells, three of them alike and baselines; the cost counts every run.
    let truth = [60.0, 61.5, 58.5, 66.0, 54.0, 63.0, 57.0, 69.0];
    let runs = |baselines: &[u32]| {
        let mut matrix = Suite::new(8, baselines, &[("x", None), ("y", None)]);
        let mut worlds = Worlds(vec![World::new(1, &truth), World::new(2, &truth)]);
        for world in &mut worlds.0 {
            world.layouts = 0.004;
        }
        let conclusion = matrix.conduct(&mut worlds, &Asked::default()).unwrap();
        assert_eq!(conclusion.stop, Stop::Decided);
        worlds.0.iter().map(|world| world.runs).sum::<u32>()
    };
    let (one, three) = (runs(&[0]), runs(&[0, 1, 2]));
    assert!(
        f64::from(three) <= 1.3 * f64::from(one),
        "{three} against {one}"
    );
}

#[test]
fn the_fixed_and_the_proportional_part_are_told_apart() {
    // a: 20 ms and 1 ms each; b: 10 ms and 1 ms each; c: nothing and 1 ms each.
    let sizes = [20, 40, 80];
    let members = sizes.map(|size| ("x", Some(size)));
    let mut matrix = Suite::new(3, &[0], &members);
    let world = |(salt, size): (u64, u64)| {
        let size = size as f64;
        World {
            layouts: 0.003,
            ..World::new(salt, &[20.0 + size, 10.0 + size, size])
        }
    };
    let mut worlds = Worlds((1..).zip(sizes).map(world).collect());
    let conclusion = matrix.conduct(&mut worlds, &Asked::default()).unwrap();
    let scale = |cell: u32| {
        let all = &conclusion.scale;
        all.iter().find(|one| one.cell.0 == cell).unwrap()
    };
    let Part::Ratio { interval } = scale(1).fixed else {
        panic!("{:?}", scale(1));
    };
    assert!(interval.contains(Effect::from_ratio(0.5)), "{interval:?}");
    let Part::Ratio { interval } = scale(1).proportional else {
        panic!("{:?}", scale(1));
    };
    assert!(interval.contains(Effect::NONE), "{interval:?}");
    assert_eq!(scale(2).fixed, Part::NotFromZero);
    let beyond = scale(2).fixed_beyond;
    assert!(beyond.low < -20e6 && -20e6 < beyond.high, "{beyond:?}");
    // The suite takes the benchmark once, at its largest size.
    assert_eq!(suite(&conclusion, 1, 0).over, [2].map(MemberIndex));
    assert_eq!(conclusion.lines.len(), 3);
    assert!(conclusion.lines.iter().all(|line| line.misfit < 0.01));
}

#[test]
fn a_coarse_clock_is_in_the_fixed_and_in_the_proportional_part() {
    // 0.4 ms and 0.09 ms each; nothing and 0.10 ms each. Both print 0.001, 0.002 and 0.004 s.
    let sizes = [10, 20, 40];
    let metric = Metric::Output {
        pattern: "([0-9.]+)".to_owned(),
        unit: "s".to_owned(),
        higher_is_better: false,
    };
    let concluded = |digits| {
        let members = sizes.map(|size| ("x", Some(size)));
        let mut matrix = Suite::with_metric(2, &[0], &members, &metric);
        let world = |(salt, size): (u64, u64)| {
            let size = size as f64;
            World {
                layouts: 0.002,
                digits: Some(digits),
                ..World::new(salt, &[0.4 + 0.09 * size, 0.10 * size])
            }
        };
        let mut worlds = Worlds((1..).zip(sizes).map(world).collect());
        matrix.conduct(&mut worlds, &Asked::default()).unwrap()
    };
    let holds = |found: &Bounded, truth: f64| found.low <= truth && truth <= found.high;
    let [coarse, fine] = [3, 7].map(concluded);
    for conclusion in [&coarse, &fine] {
        let [base, new] = [0, 1].map(|cell| &conclusion.lines[cell]);
        for (line, fixed, slope) in [(base, 0.4e-3, 0.09e-3), (new, 0.0, 0.10e-3)] {
            assert!(holds(&line.fixed, fixed), "{line:?}");
            assert!(holds(&line.slope, slope), "{line:?}");
        }
        let scale = &conclusion.scale[0];
        assert!(holds(&scale.fixed_beyond, -0.4e-3), "{scale:?}");
        let slopes = scale.proportional_beyond.unwrap();
        assert!(holds(&slopes, 0.01e-3), "{scale:?}");
        assert_eq!(scale.fixed, Part::NotFromZero);
    }
    // A clock that tells 0.002 alone may have steps of that.
    assert_eq!(coarse.scale[0].proportional, Part::NotFromZero);
    let Part::Ratio { interval } = fine.scale[0].proportional else {
        panic!("{:?}", fine.scale);
    };
    let truth = Effect::from_ratio(0.10 / 0.09);
    assert!(interval.contains(truth) && !interval.contains(Effect::NONE));
}

#[test]
fn what_slices_do_is_in_the_fixed_and_in_the_proportional_part() {
    // a: 20 ms and 1 ms each; b: 10 ms and 1.1 ms each; c is there so that a runs beside two.
    let sizes = [20, 40, 80];
    let members = sizes.map(|size| ("x", Some(size)));
    let truth = |size: f64| [20.0 + size, 10.0 + 1.1 * size, 30.0 + size];
    for stretched in [[1.6, 1.6, 1.6], [1.1, 1.2, 1.1]] {
        let mut matrix = Suite::new(3, &[0], &members);
        matrix.schedule = Schedule::Sliced { slice_us: 4000 };
        let world = |(salt, size): (u64, u64)| World {
            layouts: 0.003,
            stretched: stretched.to_vec(),
            ..World::new(salt, &truth(size as f64))
        };
        let mut worlds = Worlds((1..).zip(sizes).map(world).collect());
        let conclusion = matrix.conduct(&mut worlds, &Asked::default()).unwrap();
        let holds = |found: &Bounded, truth: f64| found.low <= truth && truth <= found.high;
        for (line, (fixed, slope)) in conclusion.lines.iter().zip([(20e6, 1e6), (10e6, 1.1e6)]) {
            assert!(
                holds(&line.fixed, fixed) && holds(&line.slope, slope),
                "{line:?}"
            );
        }
        let scale = &conclusion.scale[0];
        assert!(holds(&scale.fixed_beyond, -10e6), "{scale:?}");
        let slopes = scale.proportional_beyond.unwrap();
        assert!(holds(&slopes, 0.1e6), "{scale:?}");
        let holds = |part: &Part, truth: f64| match part {
            Part::Ratio { interval } => interval.contains(Effect::from_ratio(truth)),
            Part::NotFromZero => true,
            Part::BelowZero => false,
        };
        assert!(holds(&scale.proportional, 1.1), "{scale:?}");
        assert!(holds(&scale.fixed, 0.5), "{scale:?}");
        // What slices do to all alike hides nothing of a ratio.
        let known =
            matches!(scale.proportional, Part::Ratio { interval } if interval.low.ln() > 0.0);
        assert_eq!(known, stretched[0] == stretched[1], "{scale:?}");
    }
}

/// All benchmarks share one clock, and what they take counts together.
#[test]
fn the_budget_of_a_matrix_is_one_for_all_of_it() {
    let slow = || {
        let clock = Rc::new(Cell::new(0));
        let world = |salt| World {
            layouts: 0.3,
            clock_ms: Rc::clone(&clock),
            ..World::new(salt, &[1000.0, 1000.0, 1000.0])
        };
        Worlds(vec![world(1), world(2)])
    };
    let spent = |worlds: &mut Worlds| worlds.0[0].now_ms();
    // Two benchmarks of eight blocks of two rounds of three runs of about a second.
    for (budget, blocks) in [(20, 0), (60, 0), (150, 8), (300, 8)] {
        let mut suite = Suite::new(3, &[0], &[("x", None), ("y", None)]);
        suite.budget_ms = Some(1000 * budget);
        let mut worlds = slow();
        let ended = suite.conduct(&mut worlds, &Asked::default());
        let round_ms = 3 * 2000;
        let took = spent(&mut worlds);
        assert!(took <= 1000 * budget + round_ms, "{took} ms of {budget} s");
        match ended {
            Ok(conclusion) => {
                assert!(blocks > 0, "{budget} s");
                assert_eq!(conclusion.stop, Stop::Budget);
            }
            Err(LabError::Budget(refused)) => {
                assert_eq!(blocks, 0, "{budget} s: {refused}");
                assert!(refused.to_string().contains("--budget"), "{refused}");
            }
            Err(other) => unreachable!("{other}"),
        }
        for member in [0, 1] {
            let least = suite.blocks(member).values().copied().min().unwrap_or(0);
            assert!(least >= blocks, "{budget} s: {least} blocks");
        }
    }
}
