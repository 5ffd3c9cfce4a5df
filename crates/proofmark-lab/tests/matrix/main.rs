//! A matrix conducted and concluded in recorded worlds whose truth is known.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

#[path = "../support/normal.rs"]
mod normal;
#[path = "../support/program.rs"]
mod program;
mod worlds;

use std::cell::Cell;
use std::rc::Rc;

use proofmark_conclude::against_cell;
use proofmark_evidence::record::{
    Asked, Claim, Exclusion, MatrixConclusion, MemberEffect, Missing, Stop, SuiteEffect, Unbuilt,
};
use proofmark_lab::{LabError, Rig as _};
use proofmark_stats::{Effect, Holds, Part, Standing, Verdict};
use proofmark_terms::{BuildIndex, CellIndex, MemberIndex};
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

fn claim(new: u32, at_least: f64) -> Claim {
    Claim {
        name: "claim".to_owned(),
        new: CellIndex(new),
        base: None,
        at_least,
        benchmarks: Vec::new(),
    }
}

#[test]
fn a_claim_names_the_baseline_that_makes_it_and_the_odd_one_among_them() {
    // a, b and d are alike, c is 10 % slower: "d is 8 % faster" holds against c only.
    let truth = [60.0, 60.3, 66.0, 59.8];
    let asked = Asked {
        claims: vec![claim(3, 0.08), claim(3, 0.5), claim(0, 0.05)],
        ..Asked::default()
    };
    let mut matrix = Suite::new(4, &[0, 1, 2], &[("x", None)]);
    let mut worlds = Worlds(vec![World::new(1, &truth)]);
    let conclusion = matrix.conduct(&mut worlds, &asked).unwrap();
    let [eight, fifty, of_a] = conclusion.claims.as_slice() else {
        panic!("three claims: {:?}", conclusion.claims);
    };
    assert_eq!(eight.standing, Standing::BaselineDependent);
    let holds: Vec<(u32, Holds)> = eight
        .against
        .iter()
        .map(|one| (one.baseline.0, one.holds))
        .collect();
    assert_eq!(holds, [(0, Holds::No), (1, Holds::No), (2, Holds::Yes)]);
    assert_eq!(fifty.standing, Standing::Refuted);
    // Of a claim on a baseline, that baseline is no yardstick.
    assert_eq!(of_a.standing, Standing::BaselineDependent);
    assert_eq!(of_a.against.len(), 2);
    let [outlier] = conclusion.outliers.as_slice() else {
        panic!("one outlier: {:?}", conclusion.outliers);
    };
    assert_eq!(outlier.baseline.0, 2);
    assert!((outlier.ratio - 1.097).abs() < 0.02, "{outlier:?}");
}

#[test]
fn a_claim_is_not_judged_on_a_smaller_suite_where_a_baseline_fails() {
    // b fails on x, where d is 2 % slower than everything; on y d is far ahead of both.
    let (mut matrix, _) = two_benchmarks();
    let mut worlds = Worlds(vec![
        World::new(1, &[60.0, 60.0, 60.0, 61.2]),
        World::new(2, &[60.0, 60.0, 60.0, 30.0]),
    ]);
    worlds.0[0].fails = Some((None, 1));
    let mut on_y = claim(3, 0.5);
    on_y.benchmarks = vec!["y".to_owned()];
    let asked = Asked {
        claims: vec![claim(3, 0.2), claim(3, 0.8), on_y],
        ..Asked::default()
    };
    let conclusion = matrix.conduct(&mut worlds, &asked).unwrap();
    assert_eq!(conclusion.stop, Stop::Decided);
    let [holds, fails, on_y] = conclusion.claims.as_slice() else {
        panic!("three claims: {:?}", conclusion.claims);
    };
    assert_eq!(holds.over, [0, 1].map(MemberIndex));
    assert_eq!(holds.standing, Standing::Undecided, "{holds:?}");
    assert_eq!(holds.against.len(), 1);
    assert_eq!(
        holds.missing,
        [Missing {
            cell: "b".to_owned(),
            why: "is out of x".to_owned()
        }]
    );
    // What fails against one baseline is not robust, whatever another would say.
    assert_eq!(fails.standing, Standing::NotRobust, "{fails:?}");
    assert_eq!(on_y.standing, Standing::Robust, "{on_y:?}");
    assert!(on_y.missing.is_empty());
}

#[test]
fn a_claim_on_a_cell_that_fails_is_undecided_and_says_so() {
    let (mut matrix, mut worlds) = two_benchmarks();
    worlds.0[1].fails = Some((Some(3), 2));
    let asked = Asked {
        claims: vec![claim(2, 0.05)],
        ..Asked::default()
    };
    let conclusion = matrix.conduct(&mut worlds, &asked).unwrap();
    assert_eq!(conclusion.stop, Stop::Decided);
    let [judged] = conclusion.claims.as_slice() else {
        panic!("one claim: {:?}", conclusion.claims);
    };
    assert_eq!(judged.standing, Standing::Undecided);
    assert!(judged.against.is_empty());
    assert_eq!(judged.missing.len(), 1, "{judged:?}");
    assert_eq!(judged.missing[0].cell, "c");
    assert_eq!(judged.missing[0].why, "is out of y");
}

#[test]
fn a_baseline_without_a_build_leaves_a_claim_open_and_is_named() {
    let (mut matrix, mut worlds) = two_benchmarks();
    let unbuilt = |baseline| Unbuilt {
        cell: "e".to_owned(),
        why: "the build failed".to_owned(),
        baseline,
        claims: Vec::new(),
    };
    for (baseline, standing) in [(true, Standing::Undecided), (false, Standing::Robust)] {
        let asked = Asked {
            claims: vec![claim(2, 0.1)],
            unbuilt: vec![unbuilt(baseline)],
            ..Asked::default()
        };
        // A cell that has no build by now is no answer to what was asked while it had one.
        assert!(!matrix.load().answers(&asked));
        let conclusion = matrix.conduct(&mut worlds, &asked).unwrap();
        let judged = &conclusion.claims[0];
        assert_eq!(judged.standing, standing, "{judged:?}");
        assert_eq!(judged.against.len(), 2);
        let missing: Vec<&str> = judged.missing.iter().map(|one| one.cell.as_str()).collect();
        assert_eq!(missing, if baseline { vec!["e"] } else { vec![] });
    }
}

#[test]
fn another_yardstick_adds_figures_and_changes_none() {
    let (mut matrix, mut worlds) = two_benchmarks();
    let asked = Asked {
        claims: vec![claim(2, 0.1)],
        ..Asked::default()
    };
    let before = matrix.conduct(&mut worlds, &asked).unwrap();
    let loaded = matrix.load();
    let after = against_cell(&loaded.evidence(), before.clone(), CellIndex(3)).unwrap();
    let count = before.suite.len();
    assert_eq!(after.suite[..count], before.suite[..]);
    assert_eq!(after.effects[..before.effects.len()], before.effects[..]);
    assert_eq!(
        (&after.claims, &after.outliers),
        (&before.claims, &before.outliers)
    );
    let added: Vec<(u32, u32)> = (after.suite[count..].iter())
        .map(|one| (one.cell.0, one.baseline.0))
        .collect();
    assert_eq!(added, [(0, 3), (1, 3), (2, 3)]);
    // What is in the table already is the same, the other way round.
    let (there, back) = (suite(&before, 3, 0).interval, suite(&after, 0, 3).interval);
    assert!(
        (there.low.ln() + back.high.ln()).abs() < 1e-12,
        "{there:?} {back:?}"
    );
    let same = against_cell(&loaded.evidence(), before.clone(), CellIndex(1)).unwrap();
    assert_eq!(same, before);
}

#[test]
fn a_claim_asked_later_is_answered_from_the_same_blocks_or_from_a_few_more() {
    let (mut matrix, mut worlds) = two_benchmarks();
    matrix.conduct(&mut worlds, &Asked::default()).unwrap();
    let before = matrix.blocks(0);
    let robust = Asked {
        claims: vec![claim(2, 0.1)],
        ..Asked::default()
    };
    assert!(!matrix.load().answers(&robust));
    let mut again = worlds.clone();
    again.0.iter_mut().for_each(|world| world.runs = 0);
    let conclusion = matrix.conduct(&mut again, &robust).unwrap();
    assert_eq!(conclusion.claims[0].standing, Standing::Robust);
    assert!(matrix.load().answers(&robust));
    // One that is close to its threshold takes more blocks; only those that it is about are
    // measured.
    let close = Asked {
        claims: vec![claim(2, 0.165)],
        ..Asked::default()
    };
    let conclusion = matrix.conduct(&mut again, &close).unwrap();
    assert!(conclusion.claims[0].standing.is_decided());
    let after = matrix.blocks(0);
    assert!(
        after[&2] > before[&2] && after[&3] == before[&3],
        "{before:?} {after:?}"
    );
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
