//! What the kernel does, and waiting.

use proofmark_conclude::explain::{Known, first_cause};
use proofmark_evidence::record::{Cause, CountFound, Counted, PlaceOf};

use crate::{by, count, of, place};

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

/// Many calls that cost next to nothing do not stand in front of few that do the work.
#[test]
fn a_call_that_only_tells_a_number_makes_little_of_the_kernels_time() {
    let kernel = [place(PlaceOf::Kernel, 0.5, None)];
    let counts = [
        count(Counted::SystemCalls, 100.0, 8_100.0),
        count(Counted::BytesRead, 0.0, 17e6),
    ];
    let cause = |call: &'static str| {
        first_cause(&Known {
            counts: &counts,
            places: &kernel,
            call: Some(call),
            ..of(1.5)
        })
    };
    assert_eq!(cause("getppid"), Cause::BytesMoved { written: false });
    let call = Some("openat".to_owned());
    assert_eq!(cause("openat"), Cause::SystemCalls { call });
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
