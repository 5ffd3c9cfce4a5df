//! What the processor's counters say, or a model of it.

use proofmark_conclude::explain::{Known, OfProcessor, first_cause};
use proofmark_evidence::record::{Cause, CountFound, Counted, SimulatedRun, SimulatedRuns};

use crate::{count, of};

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
