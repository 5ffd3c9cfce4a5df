//! What the processor's counters say, or a model of it.

use proofmark_conclude::explain::{Known, Missed, OfProcessor, first_cause};
use proofmark_evidence::record::{
    Cause, CountFound, Counted, PlaceFound, PlaceOf, SimulatedRun, SimulatedRuns,
};

use crate::{count, function, of, place};

/// By hand: 1000 instructions and 10 misses of the first level make 1100 cycles of the base; 50
/// more of these, and 3 of the last level, are 800 more.
#[test]
fn a_model_of_caches_is_taken_by_its_estimate_of_cycles() {
    let base = SimulatedRun {
        instructions: 1000,
        i1: 10,
        ..SimulatedRun::default()
    };
    let new = SimulatedRun {
        i1: 60,
        ll_instructions: 3,
        ..base
    };
    let runs = SimulatedRuns::Counted {
        caches: [const { String::new() }; 3],
        base,
        new,
        functions: None,
        misses: None,
    };
    let found = OfProcessor::simulated(&runs, Some(1e3)).expect("it was simulated");
    assert!(
        (found.instructions - 800.0 / 1100.0).abs() < 1e-12,
        "{found:?}"
    );
    assert_eq!([found.data, found.branches], [0.0, 0.0]);
    // 40 branches more: 400 of 1100 cycles by the estimate, and 600 of the 300 that a run of the
    // base takes in 100 ns.
    let branches = |run_ns| {
        let new = SimulatedRun {
            branches: 40,
            ..base
        };
        let runs = SimulatedRuns::Counted {
            caches: [const { String::new() }; 3],
            base,
            new,
            functions: None,
            misses: None,
        };
        OfProcessor::simulated(&runs, run_ns)
            .expect("it was simulated")
            .branches
    };
    assert!((branches(None) - 400.0 / 1100.0).abs() < 1e-12);
    assert!((branches(Some(100.0)) - 2.0).abs() < 1e-12);
    assert!((branches(Some(1e6)) - 400.0 / 1100.0).abs() < 1e-12);
    let known = Known {
        processor: Some(found),
        ..of(1.3)
    };
    assert_eq!(first_cause(&known), Cause::InstructionCache);
}

/// By hand: 100 cycles of the base, in which 3 more misses of branches cost 30, and 2 more of the
/// data cache are noise.
#[test]
fn counters_of_the_processor_are_taken_where_they_differ() {
    let noise = CountFound {
        differs: false,
        ..count(Counted::DataCacheMisses, 5.0, 7.0)
    };
    let counts = [
        count(Counted::Cycles, 100.0, 130.0),
        count(Counted::BranchMisses, 4.0, 7.0),
        noise,
    ];
    let found = OfProcessor::counted(&counts).expect("cycles were counted");
    assert_eq!([found.data, found.instructions], [0.0, 0.0]);
    assert!((found.branches - 0.3).abs() < 1e-12, "{found:?}");
    assert_eq!(OfProcessor::counted(&counts[1..]), None);
    let known = Known {
        processor: Some(found),
        ..of(1.3)
    };
    assert_eq!(first_cause(&known), Cause::Branches);
}

/// A model knows a branch that was not foreseen, and not what it does to the others.
#[test]
fn branches_are_named_by_less_where_nothing_else_differs_in_the_model() {
    let by = |data: f64, branches: f64| Known {
        processor: Some(OfProcessor {
            data,
            instructions: 0.0,
            branches,
        }),
        ..of(1.3)
    };
    assert_eq!(first_cause(&by(0.0, 0.12)), Cause::Branches);
    let unexplained = |known: &Known<'_>| matches!(first_cause(known), Cause::Unexplained { .. });
    assert!(unexplained(&by(0.0, 0.05)));
    assert!(unexplained(&by(0.05, 0.12)));
    // In the other direction.
    assert!(unexplained(&by(0.0, -0.12)));
    let work = [count(Counted::Instructions, 100.0, 104.0)];
    let more = Known {
        counts: &work,
        ..by(0.0, 0.12)
    };
    assert!(unexplained(&more));
}

fn of_kind(at: usize, cycles: f64) -> OfProcessor {
    let mut by = [0.0; 3];
    by[at] = cycles;
    let [data, instructions, branches] = by;
    OfProcessor {
        data,
        instructions,
        branches,
    }
}

/// Misses of 100 cycles more in a run: of each kind in turn, and so many of them in each function.
fn missed(at: usize, functions: &[(&str, f64)]) -> Missed {
    let one = |(name, cycles): &(&str, f64)| ((*name).to_owned(), of_kind(at, *cycles));
    Missed {
        functions: functions.iter().map(one).collect(),
        all: of_kind(at, 100.0),
    }
}

/// The first cause where misses make so much of 17 % that a run takes longer.
fn cause_of(at: usize, by: f64, places: &[PlaceFound], missed: Option<&Missed>) -> Cause {
    first_cause(&Known {
        places,
        processor: Some(of_kind(at, by)),
        missed,
        ..of(1.17)
    })
}

const KINDS: [Cause; 3] = [Cause::DataCache, Cause::InstructionCache, Cause::Branches];

/// `g` misses, and `f` takes longer for another reason.
#[test]
fn misses_are_a_cause_where_the_time_differs() {
    let in_f = [function("f", 0.149, None), function("g", 0.033, None)];
    let in_g = [function("f", 0.033, None), function("g", 0.149, None)];
    let suspects = Cause::Unexplained {
        suspects: vec!["f".to_owned(), "g".to_owned()],
    };
    for (at, kind) in KINDS.iter().enumerate() {
        let of_g = missed(at, &[("g", 100.0)]);
        assert_eq!(cause_of(at, 1.5, &in_f, Some(&of_g)), suspects, "{kind:?}");
        assert_eq!(cause_of(at, 1.5, &in_g, Some(&of_g)), *kind);
        // A few of them in `f` are not what makes it slower.
        let mixed = missed(at, &[("g", 98.0), ("f", 2.0)]);
        assert_eq!(cause_of(at, 1.5, &in_f, Some(&mixed)), suspects, "{kind:?}");
        // Old evidence has no misses of functions; and here nobody knows where the time is.
        assert_eq!(cause_of(at, 1.5, &in_f, None), *kind);
        assert_eq!(cause_of(at, 1.5, &[], Some(&of_g)), *kind);
        // What fewer misses save elsewhere is no part of it.
        let fewer = missed(at, &[("f", -50.0), ("g", 150.0)]);
        assert_eq!(cause_of(at, 1.5, &in_f, Some(&fewer)), suspects, "{kind:?}");
    }
}

/// Many functions miss a little more each: none of them stands out, and together they do.
#[test]
fn misses_may_be_spread_over_many_functions_and_lie_in_libraries() {
    let names: Vec<String> = (0..30).map(|index| format!("f{index}")).collect();
    let places: Vec<PlaceFound> = names
        .iter()
        .map(|name| function(name, 0.005, None))
        .collect();
    let each: Vec<(&str, f64)> = names.iter().map(|name| (name.as_str(), 3.3)).collect();
    let spread = missed(1, &each);
    let found = cause_of(1, 0.15, &places, Some(&spread));
    assert_eq!(found, Cause::InstructionCache);
    let file = "libz.so".to_owned();
    let library = [place(PlaceOf::Library { file }, 0.15, None)];
    let beside = missed(0, &[]);
    let found = cause_of(0, 0.2, &library, Some(&beside));
    assert_eq!(found, Cause::DataCache);
    // Those of the image are not the library's.
    let own = missed(0, &[("g", 100.0)]);
    let places = [library[0].clone(), function("g", 0.0, None)];
    let found = cause_of(0, 0.2, &places, Some(&own));
    assert!(matches!(found, Cause::Library { .. }), "{found:?}");
}

/// The model sees fewer misses where the processor counts more: it tells nothing of their place.
#[test]
fn counters_stand_where_the_model_does_not_see_what_they_count() {
    let places = [function("f", 0.17, None)];
    let mut other = missed(0, &[("g", 100.0)]);
    other.all = of_kind(0, -100.0);
    let found = cause_of(0, 0.2, &places, Some(&other));
    assert_eq!(found, Cause::DataCache);
}

/// Of branches alone a quarter of the change is enough, and the time has to differ there too.
#[test]
fn branches_that_are_named_by_less_lie_where_the_time_differs() {
    let places = [function("f", 0.16, None), function("g", 0.01, None)];
    let of = |name| missed(2, &[(name, 100.0)]);
    let found = cause_of(2, 0.06, &places, Some(&of("f")));
    assert_eq!(found, Cause::Branches);
    let found = cause_of(2, 0.06, &places, Some(&of("g")));
    assert!(matches!(found, Cause::Unexplained { .. }), "{found:?}");
}

/// The data cache makes more of it, and not where the time is; branches are what is left.
#[test]
fn what_misses_most_elsewhere_leaves_the_next_one() {
    let places = [function("f", 0.16, None), function("g", 0.01, None)];
    let by = |data: f64, branches: f64| OfProcessor {
        data,
        instructions: 0.0,
        branches,
    };
    let missed = Missed {
        functions: [("f", by(0.0, 40.0)), ("g", by(100.0, 0.0))]
            .map(|(name, by)| (name.to_owned(), by))
            .into(),
        all: by(100.0, 40.0),
    };
    let found = |missed: Option<&Missed>| {
        first_cause(&Known {
            places: &places,
            processor: Some(by(0.5, 0.2)),
            missed,
            ..of(1.17)
        })
    };
    assert_eq!(found(Some(&missed)), Cause::Branches);
    assert_eq!(found(None), Cause::DataCache);
}
