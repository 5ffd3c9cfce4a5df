//! More work, and a function that was part of another one.

use proofmark_conclude::explain::{Known, Worked, first_cause};
use proofmark_evidence::record::{Cause, Counted, FunctionChange, PlaceOf};

use crate::{CHANGED, count, function, of, place};

/// Work is where instructions differ, be it in a library, and in a function that moved where both
/// builds of it make the change.
#[test]
fn work_is_where_instructions_differ() {
    let more_work = [count(Counted::Instructions, 100.0, 108.0)];
    let grown = [function("f", 0.09, CHANGED), function("g", 0.03, None)];
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
                counts: &more_work,
                places: &outlined,
                ..of(1.1)
            },
            Cause::NoLongerInlined {
                function: named("step"),
                of: named("main"),
            },
        ),
    ];
    for (known, cause) in cases {
        assert_eq!(first_cause(&known), cause, "{known:?}");
    }
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
