//! Guards: in no mean, and held to what they may cost, in recorded worlds.

use proofmark_conclude::ledger::conclude_run;
use proofmark_evidence::record::{
    Asked, FigureOf, FigureOver, Guard, LedgerBenchmark, LedgerRun, Unbuilt,
};
use proofmark_stats::{Effect, Holds};
use proofmark_terms::{CellIndex, MemberIndex, Metric};

use super::ledger::asked_of;
use super::suite;
use super::worlds::{Suite, World, Worlds};

/// Base, base again, and an idea that takes nine tenths of the time and more of the other quantity.
fn worlds(more: f64) -> Worlds {
    let world = |salt, truth: &[f64]| World {
        layouts: 0.002,
        ..World::new(salt, truth)
    };
    let time = world(1, &[60.0, 60.0, 54.0]);
    let other = world(2, &[60.0, 60.0, 60.0 * more]);
    Worlds(vec![time, other])
}

fn guarded(most: f64) -> Asked {
    Asked {
        guards: vec![Guard {
            benchmark: "room".to_owned(),
            most,
        }],
        ..Asked::default()
    }
}

const MEMBERS: [(&str, Option<u64>); 2] = [("time", None), ("room", None)];

#[test]
fn a_guard_is_in_no_mean_and_a_cell_that_costs_too_much_breaks_it() {
    for (more, holds) in [(1.05, Holds::No), (1.0, Holds::Yes), (0.5, Holds::Yes)] {
        let mut matrix = Suite::new(3, &[0], &MEMBERS);
        let conclusion = matrix.conduct(&mut worlds(more), &guarded(0.02)).unwrap();
        let mean = suite(&conclusion, 2, 0);
        assert_eq!(mean.over, [MemberIndex(0)]);
        assert!(mean.interval.contains(Effect::from_ratio(0.9)), "{mean:?}");
        let found: Vec<_> = conclusion
            .guards
            .iter()
            .map(|one| (one.member.0, one.cell.0, one.holds))
            .collect();
        // Base again costs what base does.
        assert_eq!(found, [(1, 1, Holds::Yes), (1, 2, holds)], "{more}");
    }
}

#[test]
fn a_cell_that_cannot_be_measured_on_a_guard_has_broken_it() {
    // The main baseline is another thing: of what it fails on nothing is known.
    for (out, expected) in [
        (2, vec![(1, Holds::Yes), (2, Holds::No)]),
        (0, vec![(1, Holds::Open), (2, Holds::Open)]),
    ] {
        let mut matrix = Suite::new(3, &[0], &MEMBERS);
        let mut worlds = worlds(1.0);
        worlds.0[1].fails = Some((Some(0), out));
        let conclusion = matrix.conduct(&mut worlds, &guarded(0.02)).unwrap();
        let found = conclusion.guards.iter().map(|one| (one.cell.0, one.holds));
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }
}

#[test]
fn no_guard_is_held_against_another_baseline_than_the_main_one() {
    let mut matrix = Suite::new(3, &[0], &MEMBERS);
    let asked = Asked {
        unbuilt: vec![Unbuilt {
            cell: "main".to_owned(),
            why: "it exited with 1".to_owned(),
            baseline: true,
            main: true,
            claims: Vec::new(),
        }],
        ..guarded(0.02)
    };
    let conclusion = matrix.conduct(&mut worlds(1.05), &asked).unwrap();
    let found = conclusion.guards.iter().map(|one| (one.cell.0, one.holds));
    let open = [0, 1, 2].map(|cell| (cell, Holds::Open));
    assert_eq!(found.collect::<Vec<_>>(), open);
}

#[test]
fn measuring_goes_on_while_a_guard_is_open() {
    let blocks = |asked: &Asked| {
        let mut matrix = Suite::new(3, &[0], &MEMBERS);
        // 1.9 % more is worse beyond the margin of 1 % long before it is known to be below 2 %.
        matrix.conduct(&mut worlds(1.019), asked).unwrap();
        matrix.blocks(1)[&2]
    };
    assert!(blocks(&guarded(0.02)) > blocks(&Asked::default()));
}

#[test]
fn where_all_benchmarks_are_guards_they_are_the_mean() {
    let mut asked = guarded(0.02);
    asked.guards.push(Guard {
        benchmark: "time".to_owned(),
        most: 0.0,
    });
    let mut matrix = Suite::new(3, &[0], &MEMBERS);
    let conclusion = matrix.conduct(&mut worlds(1.05), &asked).unwrap();
    assert_eq!(suite(&conclusion, 2, 0).over.len(), 2);
    assert_eq!(conclusion.guards.len(), 4);
}

fn ledger(more: f64, guard: Option<f64>) -> LedgerRun {
    ledger_of(worlds(more), guard)
}

fn ledger_of(mut worlds: Worlds, guard: Option<f64>) -> LedgerRun {
    let mut matrix = Suite::new(3, &[0], &MEMBERS);
    let asked = guard.map_or_else(Asked::default, guarded);
    matrix.conduct(&mut worlds, &asked).unwrap();
    let benchmark = |(name, _): (&str, Option<u64>)| LedgerBenchmark {
        name: name.to_owned(),
        metric: Metric::CpuTime,
        guard: guard.filter(|_| name == "room"),
    };
    let asked = asked_of(MEMBERS.map(benchmark).to_vec());
    let under_way = matrix.load();
    let (evidence, id) = (under_way.evidence(), under_way.id.clone());
    conclude_run(&evidence, id, asked, &[], 0.05, Vec::new()).unwrap()
}

#[test]
fn a_ledger_asks_about_the_gain_and_says_what_it_costs() {
    let alone = FigureOf::Alone { idea: 0 };
    let mean = |run: &LedgerRun| {
        let mut figures = run.figures.iter();
        let is_mean = |over| matches!(over, FigureOver::Suite { .. });
        let found = figures.find(|one| one.of == alone && is_mean(one.over));
        found.unwrap().figure.interval
    };
    for (more, holds) in [(1.05, Holds::No), (1.0, Holds::Yes)] {
        let run = ledger(more, Some(0.02));
        let interval = mean(&run);
        assert!(interval.contains(Effect::from_ratio(0.9)), "{interval:?}");
        let guards: Vec<_> = run.guards.iter().map(|one| (one.of, one.holds)).collect();
        assert_eq!(guards, [(alone, holds)]);
        assert_eq!(run.guards[0].member, MemberIndex(1));
        assert_eq!(run.tests.len(), 1);
    }
    let plain = ledger(1.05, None);
    assert!(plain.guards.is_empty());
    assert!(!mean(&plain).contains(Effect::from_ratio(0.9)));
    assert_eq!(plain.asked.builds[2].cell, Some(CellIndex(2)));
}

#[test]
fn an_idea_that_fails_on_a_guard_is_no_finding() {
    let mut worlds = worlds(1.0);
    worlds.0[1].fails = Some((Some(0), 2));
    let run = ledger_of(worlds, Some(0.02));
    let alone = FigureOf::Alone { idea: 0 };
    let guards: Vec<_> = run.guards.iter().map(|one| (one.of, one.holds)).collect();
    assert_eq!(guards, [(alone, Holds::No)]);
    assert!(run.tests.is_empty(), "{:?}", run.tests);
}
