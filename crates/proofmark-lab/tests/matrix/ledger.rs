//! Figures of a ledger and claims on benchmarks of both directions, in recorded worlds.

use proofmark_conclude::ledger::{conclude_run, confirmed};
use proofmark_evidence::record::{
    Asked, FigureOf, FigureOver, LedgerAsked, LedgerBenchmark, LedgerBuild, LedgerFigureOf,
    LedgerGroup, LedgerIdea, LedgerRun,
};
use proofmark_stats::Effect;
use proofmark_terms::{CellIndex, MemberIndex, Metric};

use crate::worlds::{Suite, World, Worlds};

/// A time of which less is better, and a score of which more is.
fn metrics() -> [Metric; 2] {
    let score = Metric::Output {
        pattern: "([0-9.]+)".to_owned(),
        unit: "points".to_owned(),
        higher_is_better: true,
    };
    [Metric::CpuTime, score]
}

/// Base, base again, and an idea that takes nine tenths of the time and has ten ninths of the
/// score.
fn worlds() -> Worlds {
    let world = |salt, truth: &[f64]| World {
        layouts: 0.002,
        ..World::new(salt, truth)
    };
    let time = world(1, &[60.0, 60.0, 54.0]);
    let score = world(2, &[54.0, 54.0, 60.0]);
    Worlds(vec![time, score])
}

/// Of three cells: base, base again and an idea.
pub(crate) fn asked_of(benchmarks: Vec<LedgerBenchmark>) -> LedgerAsked {
    let build = |(place, name): (u32, &str)| LedgerBuild {
        name: name.to_owned(),
        ideas: Vec::new(),
        cell: Some(CellIndex(place)),
        why: None,
        gates: Vec::new(),
        files: Vec::new(),
    };
    LedgerAsked {
        builds: (0..).zip(["base", "again", "idea"]).map(build).collect(),
        benchmarks,
        groups: Vec::new(),
        ideas: vec![LedgerIdea {
            name: "idea".to_owned(),
            hypothesis: None,
            on: Vec::new(),
            expected: None,
            change: None,
            with: 2,
            against: 0,
        }],
        stacks: Vec::new(),
    }
}

fn measured(mut worlds: Worlds) -> LedgerRun {
    let members = [("time", None), ("score", None)];
    let mut matrix = Suite::with_metrics(3, &[0], &members, &metrics());
    matrix.conduct(&mut worlds, &Asked::default()).unwrap();
    let benchmark = |(name, metric): (&str, Metric)| LedgerBenchmark {
        name: name.to_owned(),
        metric,
        guard: None,
    };
    let names = ["time", "score"];
    let asked = LedgerAsked {
        groups: vec![LedgerGroup {
            name: "both".to_owned(),
            benchmarks: names.map(str::to_owned).to_vec(),
        }],
        ..asked_of(names.into_iter().zip(metrics()).map(benchmark).collect())
    };
    let under_way = matrix.load();
    conclude_run(
        &under_way.evidence(),
        under_way.id.clone(),
        asked,
        &[],
        0.05,
        Vec::new(),
    )
    .unwrap()
}

fn of(run: &LedgerRun, over: FigureOver) -> LedgerFigureOf {
    let alone = FigureOf::Alone { idea: 0 };
    let mut figures = run.figures.iter();
    let found = figures.find(|one| (one.of, one.over) == (alone, over));
    *found.unwrap()
}

#[test]
fn a_mean_of_both_directions_turns_each_benchmark_by_its_own() {
    let run = measured(worlds());
    let gain = Effect::from_ratio(0.9);
    let [time, score] = [0, 1].map(|member| {
        let member = MemberIndex(member);
        of(&run, FigureOver::Member { member }).figure.interval
    });
    assert!(time.contains(gain), "{time:?}");
    assert!(score.contains(Effect::from_ratio(1.0 / 0.9)), "{score:?}");
    let benchmarks = 2;
    let group = FigureOver::Group {
        group: 0,
        benchmarks,
    };
    for over in [FigureOver::Suite { benchmarks }, group] {
        let figure = of(&run, over).figure;
        assert!(figure.interval.contains(gain), "{figure:?}");
        let [least, most] = figure.range.unwrap();
        assert!((least - gain.ln()).abs() < 0.01 && (most - gain.ln()).abs() < 0.01);
    }
}

#[test]
fn who_is_out_of_a_benchmark_is_still_seen_the_same_way_round() {
    let mut worlds = worlds();
    worlds.0[0].fails = Some((None, 2));
    let run = measured(worlds);
    let benchmarks = 1;
    let group = FigureOver::Group {
        group: 0,
        benchmarks,
    };
    for over in [FigureOver::Suite { benchmarks }, group] {
        let figure = of(&run, over).figure;
        assert!(
            figure.interval.contains(Effect::from_ratio(0.9)),
            "{figure:?}"
        );
    }
    assert!(run.tests.is_empty(), "{:?}", run.tests);
}

#[test]
fn a_claim_is_not_confirmed_on_fewer_benchmarks_than_it_is_about() {
    let members = [("time", None), ("score", None)];
    let figure = |fails| {
        let mut matrix = Suite::with_metrics(2, &[0], &members, &metrics());
        let world = |salt, truth: &[f64]| World::new(salt, truth);
        let mut worlds = Worlds(vec![world(1, &[60.0, 54.0]), world(2, &[54.0, 60.0])]);
        worlds.0[0].fails = fails;
        matrix.conduct(&mut worlds, &Asked::default()).unwrap();
        confirmed(&matrix.load().evidence()).unwrap()
    };
    let whole = figure(None).unwrap().interval;
    assert!(whole.contains(Effect::from_ratio(0.9)), "{whole:?}");
    assert_eq!(figure(Some((None, 1))), None);
}
