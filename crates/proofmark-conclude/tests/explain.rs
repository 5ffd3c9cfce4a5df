//! The first cause of a change, by a table of cases; and where time differs, on blocks made up with
//! a known difference.

use proofmark_conclude::explain::{Known, OfProcessor, Worked, first_cause};
use proofmark_evidence::record::{
    Cause, CountFound, Counted, DifferenceFound, FunctionBetween, FunctionChange, PlaceFound,
    PlaceOf, SimulatedRun, SimulatedRuns,
};
use proofmark_terms::{Effect, Interval, Margin};

/// An interval of ± 1 % around a ratio.
fn about(ratio: f64) -> Interval {
    Interval {
        estimate: Effect::from_ratio(ratio),
        low: Effect::from_ratio(ratio * 0.99),
        high: Effect::from_ratio(ratio * 1.01),
    }
}

/// A difference of ± 0.01.
fn by(estimate: f64) -> Option<DifferenceFound> {
    Some(DifferenceFound {
        estimate,
        low: estimate - 0.01,
        high: estimate + 0.01,
    })
}

fn place(place: PlaceOf, difference: f64, how: Option<FunctionChange>) -> PlaceFound {
    PlaceFound {
        place,
        base: 0.3,
        new: 0.3 + difference,
        difference: by(difference),
        code: how.map(|how| FunctionBetween {
            symbol: String::new(),
            how,
            bytes: [1, 2],
            instructions: [1, 2],
            calls: [0, 0],
            indirect_jumps: None,
        }),
        line: None,
    }
}

fn function(name: &str, difference: f64, how: Option<FunctionChange>) -> PlaceFound {
    let of = PlaceOf::Function {
        symbol: name.to_owned(),
        name: name.to_owned(),
    };
    place(of, difference, how)
}

fn count(what: Counted, base: f64, new: f64) -> CountFound {
    CountFound {
        what,
        base,
        new,
        differs: true,
    }
}

/// A change of this size, of which nothing else is known.
fn of(ratio: f64) -> Known<'static> {
    Known {
        change: about(ratio),
        as_shipped: Some(about(ratio)),
        margin: Margin::default(),
        of_wall_time: false,
        waiting: DifferenceFound::default(),
        cpu: DifferenceFound::default(),
        places: &[],
        counts: &[],
        worked: None,
        call: None,
        calls_at_least: 0.0,
        run_ns: 1e8,
        unseen: 0.0,
        processor: None,
    }
}

const CHANGED: Option<FunctionChange> = Some(FunctionChange::Changed);

#[test]
fn what_does_not_differ_has_no_cause_but_perhaps_its_place() {
    let narrow = Interval {
        estimate: Effect::from_ratio(1.0),
        low: Effect::from_ratio(0.995),
        high: Effect::from_ratio(1.004),
    };
    let known = Known {
        change: narrow,
        as_shipped: None,
        ..of(1.0)
    };
    assert_eq!(first_cause(&known), Cause::NoDifference);
    // Of few blocks: no difference is in it, and so is one of 3 %.
    let wide = Interval {
        high: Effect::from_ratio(1.03),
        ..narrow
    };
    let known = Known {
        change: wide,
        as_shipped: None,
        ..of(1.0)
    };
    assert_eq!(first_cause(&known), Cause::Undecided);
    // Beyond noise, and inside the margin.
    let tiny = Interval {
        estimate: Effect::from_ratio(1.003),
        low: Effect::from_ratio(1.001),
        high: Effect::from_ratio(1.005),
    };
    let known = Known {
        change: tiny,
        as_shipped: None,
        ..of(1.0)
    };
    assert_eq!(first_cause(&known), Cause::NoDifference);
    let shipped = |over: f64, shipped: f64| {
        let as_shipped = Some(about(shipped));
        first_cause(&Known {
            as_shipped,
            ..of(over)
        })
    };
    assert_eq!(shipped(1.0, 1.1), Cause::Placement);
    assert_eq!(shipped(1.0, 0.9), Cause::Placement);
    // A true change of 3 %, and 12 % more of placement.
    assert_eq!(shipped(1.03, 1.15), Cause::Placement);
    assert_ne!(shipped(1.10, 1.13), Cause::Placement);
}

#[test]
fn each_planted_cause_is_named() {
    let more_work = [count(Counted::Instructions, 100.0, 108.0)];
    let kernel = [
        place(PlaceOf::Kernel, 0.08, None),
        function("f", 0.02, None),
    ];
    let calls = [count(Counted::SystemCalls, 50.0, 9000.0)];
    let faults = [count(Counted::PageFaults, 50.0, 9000.0)];
    let grown = [function("f", 0.09, CHANGED), function("g", 0.03, None)];
    let unchanged = [function("g", 0.09, None)];
    let worked = |functions: &[(&str, f64)], elsewhere: f64| Worked {
        functions: functions
            .iter()
            .map(|(name, by)| ((*name).to_owned(), *by))
            .collect(),
        elsewhere,
    };
    let in_both = worked(&[("f", 50.0), ("step", 36.0), ("main", -35.0)], 0.0);
    let (in_f, in_g, in_library) = (
        worked(&[("f", 8.0)], 0.0),
        worked(&[("g", 8.0)], 0.0),
        worked(&[], 8.0),
    );
    // `f` is a part of the change, and `step` and `main` together are nearly none.
    let both = [
        function("step", 0.36, Some(FunctionChange::Added)),
        function("main", -0.35, CHANGED),
        function("f", 0.56, CHANGED),
    ];
    let bytes = [
        count(Counted::BytesWritten, 16e6, 524e6),
        count(Counted::PageFaults, 96.0, 126.0),
    ];
    let library = [place(
        PlaceOf::Library {
            file: "libm.so".to_owned(),
        },
        0.09,
        None,
    )];
    let outlined = [
        function("step", 0.20, Some(FunctionChange::Added)),
        function("main", -0.12, CHANGED),
    ];
    let named = |name: &str| name.to_owned();
    let cases = [
        (
            Known {
                counts: &more_work,
                places: &grown,
                worked: Some(&in_f),
                ..of(1.1)
            },
            Cause::Work {
                function: Some(named("f")),
            },
        ),
        // What is slower by the same number of instructions is no work.
        (
            Known {
                counts: &more_work,
                places: &grown,
                worked: Some(&in_g),
                ..of(1.1)
            },
            Cause::ChangedCode {
                function: named("f"),
            },
        ),
        (
            Known {
                counts: &more_work,
                places: &library,
                worked: Some(&in_library),
                ..of(1.1)
            },
            Cause::Work {
                function: Some(named("libm.so")),
            },
        ),
        // Without a model it is that whose time differs most.
        (
            Known {
                counts: &more_work,
                places: &grown,
                ..of(1.1)
            },
            Cause::Work {
                function: Some(named("f")),
            },
        ),
        (
            Known {
                counts: &[count(Counted::Instructions, 100.0, 150.0)],
                places: &both,
                worked: Some(&in_both),
                ..of(1.57)
            },
            Cause::Work {
                function: Some(named("f")),
            },
        ),
        (
            Known {
                counts: &bytes,
                places: &kernel,
                ..of(1.1)
            },
            Cause::BytesMoved { written: true },
        ),
        (
            Known {
                counts: &more_work,
                places: &outlined,
                ..of(1.1)
            },
            Cause::NoLongerInlined {
                function: named("step"),
                of: named("main"),
            },
        ),
        (
            Known {
                counts: &calls,
                places: &kernel,
                call: Some("getpid"),
                ..of(1.1)
            },
            Cause::SystemCalls {
                call: Some(named("getpid")),
            },
        ),
        (
            Known {
                counts: &calls,
                places: &kernel,
                call: Some("futex"),
                ..of(1.1)
            },
            Cause::Waiting,
        ),
        // The clock saw the time behind the calls, in a function that is the same.
        (
            Known {
                counts: &calls,
                places: &unchanged,
                call: Some("getppid"),
                calls_at_least: 0.07,
                ..of(1.1)
            },
            Cause::SystemCalls {
                call: Some(named("getppid")),
            },
        ),
        (
            Known {
                counts: &calls,
                places: &unchanged,
                calls_at_least: 0.02,
                ..of(1.1)
            },
            Cause::Unexplained {
                suspects: vec![named("g")],
            },
        ),
        (
            Known {
                counts: &faults,
                places: &kernel,
                ..of(1.1)
            },
            Cause::PageFaults,
        ),
        (
            Known {
                places: &grown,
                ..of(1.1)
            },
            Cause::ChangedCode {
                function: named("f"),
            },
        ),
        (
            Known {
                places: &library,
                ..of(1.1)
            },
            Cause::Library {
                file: named("libm.so"),
            },
        ),
        (
            Known {
                of_wall_time: true,
                waiting: by(0.2).unwrap(),
                ..of(1.25)
            },
            Cause::Waiting,
        ),
        (
            Known {
                places: &grown,
                processor: Some(OfProcessor {
                    data: 0.3,
                    ..OfProcessor::default()
                }),
                ..of(1.3)
            },
            Cause::DataCache,
        ),
        (
            Known {
                processor: Some(OfProcessor {
                    instructions: 0.3,
                    data: 0.1,
                    branches: 0.0,
                }),
                ..of(1.3)
            },
            Cause::InstructionCache,
        ),
        (
            Known {
                places: &unchanged,
                ..of(1.1)
            },
            Cause::Unexplained {
                suspects: vec![named("g")],
            },
        ),
        (
            of(1.1),
            Cause::Unexplained {
                suspects: Vec::new(),
            },
        ),
    ];
    for (known, cause) in cases {
        assert_eq!(first_cause(&known), cause, "{known:?}");
    }
}

/// By hand: 1000 instructions and 10 misses of the first level make 1100 cycles of the base; 50 more
/// of these, and 3 of the last level, are 800 more.
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
    // 40 branches more: 400 of 1100 cycles by the estimate, and 600 of the 300 that a run of the base
    // takes in 100 ns.
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

#[test]
fn what_goes_the_other_way_or_is_noise_is_no_cause() {
    let less = [count(Counted::Instructions, 100.0, 92.0)];
    let faster_kernel = [place(PlaceOf::Kernel, -0.08, None)];
    let calls = [count(Counted::SystemCalls, 9000.0, 50.0)];
    let noise = [function("f", 0.005, CHANGED)];
    let nothing = Cause::Unexplained {
        suspects: Vec::new(),
    };
    for known in [
        Known {
            counts: &less,
            ..of(1.1)
        },
        Known {
            counts: &calls,
            places: &faster_kernel,
            ..of(1.1)
        },
        Known {
            places: &noise,
            ..of(1.1)
        },
    ] {
        assert_eq!(first_cause(&known), nothing, "{known:?}");
    }
    // The same is what makes a faster build faster.
    let known = Known {
        counts: &less,
        ..of(0.92)
    };
    assert_eq!(first_cause(&known), Cause::Work { function: None });
    let known = Known {
        counts: &calls,
        places: &faster_kernel,
        ..of(0.92)
    };
    assert_eq!(first_cause(&known), Cause::SystemCalls { call: None });
}

/// By hand: 100 cycles of the base, in which 3 more misses of branches cost 30, and 2 more of the data
/// cache are noise.
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

/// Threads that wait for each other are told by what they do, where a busy machine hides how long
/// they wait in a few sampled runs.
#[test]
fn a_lock_is_told_by_its_calls_and_switches_where_cpu_time_is_the_same() {
    let counts = [
        count(Counted::SystemCalls, 46.0, 115.0),
        count(Counted::Waits, 1.7, 37.0),
    ];
    let lock = || Known {
        of_wall_time: true,
        cpu: by(0.009).unwrap(),
        counts: &counts,
        call: Some("futex"),
        ..of(1.14)
    };
    let told = |known: Known<'_>| first_cause(&known) == Cause::Waiting;
    assert!(told(lock()));
    // Of CPU time, of another call, with as few switches, or where CPU time makes most of it.
    assert!(!told(Known {
        of_wall_time: false,
        ..lock()
    }));
    assert!(!told(Known {
        call: Some("getppid"),
        ..lock()
    }));
    assert!(!told(Known {
        counts: &counts[..1],
        ..lock()
    }));
    assert!(!told(Known {
        cpu: by(0.1).unwrap(),
        ..lock()
    }));
    // Fewer of both do not make it slower.
    let fewer = counts.map(|one| CountFound { new: 1.0, ..one });
    assert!(!told(Known {
        counts: &fewer,
        ..lock()
    }));
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

/// `f` does twice the work, and `g` left `h` with all that it took there: together they make
/// nothing.
#[test]
fn a_function_that_moved_is_no_cause_where_another_one_carries_the_change() {
    let counts = [count(Counted::Instructions, 100.0, 160.0)];
    let moved = |f: f64, g: f64, h: f64| {
        let places = [
            function("g", g, Some(FunctionChange::Added)),
            function("f", f, CHANGED),
            function("h", h, CHANGED),
        ];
        first_cause(&Known {
            counts: &counts,
            places: &places,
            ..of(1.58)
        })
    };
    let work = Cause::Work {
        function: Some("f".to_owned()),
    };
    let inlined = Cause::NoLongerInlined {
        function: "g".to_owned(),
        of: "h".to_owned(),
    };
    assert_eq!(moved(0.56, 0.361, -0.351), work);
    assert_eq!(moved(0.03, 0.90, -0.35), inlined);
    // It gains less than the other one loses: that goes the other way.
    assert_eq!(moved(0.9, 0.2, -0.5), work);
}

/// A call and a page cost no more than they can; bytes do, and so does what nobody counts.
#[test]
fn few_calls_and_few_pages_do_not_make_much_of_the_kernels_time() {
    let kernel = [place(PlaceOf::Kernel, 0.5, None)];
    let cause = |counts: &[CountFound], unseen: f64| {
        first_cause(&Known {
            counts,
            places: &kernel,
            unseen,
            ..of(1.5)
        })
    };
    // Of 50 ms, 30 pages make 0.15 at most, and 5,000 make half.
    let faults = count(Counted::PageFaults, 96.0, 126.0);
    let written = count(Counted::BytesWritten, 16e6, 524e6);
    let bytes = |written| Cause::BytesMoved { written };
    assert_eq!(cause(&[faults], 0.0), Cause::Kernel);
    assert_eq!(cause(&[faults, written], 0.0), bytes(true));
    let read = count(Counted::BytesRead, 16e6, 524e6);
    assert_eq!(cause(&[faults, read], 0.0), bytes(false));
    let faults = count(Counted::PageFaults, 96.0, 5_096.0);
    assert_eq!(cause(&[faults], 0.0), Cause::PageFaults);
    let calls = |new: f64| [count(Counted::SystemCalls, 100.0, new)];
    assert_eq!(cause(&calls(110.0), 0.0), Cause::Kernel);
    let of_calls = Cause::SystemCalls { call: None };
    assert_eq!(cause(&calls(2_600.0), 0.0), of_calls);
    // Samples may have missed more than half of it in short threads.
    let unexplained = Cause::Unexplained {
        suspects: Vec::new(),
    };
    assert_eq!(cause(&calls(2_600.0), 0.2), of_calls);
    assert_eq!(cause(&calls(2_600.0), 0.3), unexplained);
}
