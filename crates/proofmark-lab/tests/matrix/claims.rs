//! Claims, the baselines that make them, and what is asked later.

use proofmark_conclude::against_cell;
use proofmark_evidence::record::{Asked, Claim, Missing, Stop, SumsApart, Unbuilt, Warning};
use proofmark_stats::{Holds, Standing};
use proofmark_terms::{CellIndex, MemberIndex, Metric};

use super::worlds::{Suite, World, Worlds};
use super::{effect, suite, two_benchmarks};

pub(crate) fn claim(new: u32, at_least: f64) -> Claim {
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
        main: false,
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
fn what_rounding_hides_is_in_no_verdict_and_in_no_claim() {
    // 60, 62 and 52 ms: with two digits 0.06, 0.06 and 0.05 s.
    let metric = Metric::Output {
        pattern: "([0-9.]+)".to_owned(),
        unit: "s".to_owned(),
        higher_is_better: false,
    };
    let asked = Asked {
        claims: vec![claim(2, 0.18)],
        ..Asked::default()
    };
    let concluded = |digits| {
        let mut matrix = Suite::with_metric(3, &[0], &[("x", None)], &metric);
        let mut worlds = Worlds(vec![World {
            digits: Some(digits),
            layouts: 0.002,
            ..World::new(1, &[60.0, 62.0, 52.0])
        }]);
        matrix.conduct(&mut worlds, &asked).unwrap()
    };
    let coarse = concluded(2);
    let one = effect(&coarse, (0, 1, 0)).unwrap();
    assert!(!one.verdict.is_decided(), "{one:?}");
    assert_eq!(coarse.claims[0].standing, Standing::Undecided);
    let suite = suite(&coarse, 2, 0);
    assert!(suite.interval.high.ratio() > 52.0 / 60.0, "{suite:?}");
    let told = |warning: &Warning| matches!(warning, Warning::FewDigits(few) if few.build == "b");
    assert!(coarse.warnings.iter().any(told), "{:?}", coarse.warnings);
    let fine = concluded(5);
    let one = effect(&fine, (0, 1, 0)).unwrap();
    assert!(one.verdict.is_decided(), "{one:?}");
    assert_eq!(fine.claims[0].standing, Standing::Refuted);
    assert!(!fine.warnings.iter().any(told), "{:?}", fine.warnings);
}

#[test]
fn runs_of_two_kinds_are_told_of_their_cell_and_benchmark() {
    let (mut matrix, mut worlds) = two_benchmarks();
    worlds.0[1].of_two_kinds = Some(2);
    let conclusion = matrix.conduct(&mut worlds, &Asked::default()).unwrap();
    let told = conclusion
        .warnings
        .iter()
        .filter_map(|warning| match warning {
            Warning::SumsApart(found) => Some(found),
            _ => None,
        });
    let told: Vec<_> = told.collect();
    let of = |one: &SumsApart| {
        [&one.benchmark, &Some(one.build.clone()), &one.beside]
            .map(|name| name.clone().unwrap_or_default())
    };
    let names: Vec<[String; 3]> = told.iter().map(|one| of(one)).collect();
    assert_eq!(names, [["y", "c", "a"], ["y", "c", "b"]]);
    // The mean of a half and of twice is 1.25, their geometric mean 1.
    for one in told {
        let apart = one.in_sum / one.in_the_middle;
        assert!((apart / 1.25).ln().abs() < 0.1, "{one:?}");
    }
}
