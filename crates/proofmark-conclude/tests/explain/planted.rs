//! Each kind of cause where it was planted, and none where there is none.

use proofmark_conclude::explain::{Known, OfProcessor, first_cause};
use proofmark_evidence::record::{Cause, Counted, PlaceOf};
use proofmark_terms::{Effect, Interval};

use crate::{CHANGED, about, by, count, function, of, place};

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
    let kernel = [
        place(PlaceOf::Kernel, 0.08, None),
        function("f", 0.02, None),
    ];
    let calls = [count(Counted::SystemCalls, 50.0, 9000.0)];
    let faults = [count(Counted::PageFaults, 50.0, 9000.0)];
    let grown = [function("f", 0.09, CHANGED), function("g", 0.03, None)];
    let unchanged = [function("g", 0.09, None)];
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
    let named = |name: &str| name.to_owned();
    let cases = [
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
