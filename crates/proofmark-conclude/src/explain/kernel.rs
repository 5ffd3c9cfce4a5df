//! What the kernel's time is made of: calls, bytes and pages, each by what it costs at the most.

use proofmark_evidence::record::{Cause, Counted, DifferenceFound, PlaceOf};

use super::known::{Known, LOCK, MOST, more};

/// The longest that one page fault takes, in nanoseconds: 250 to 1,000 as a rule, some times that
/// in a virtual machine.
const FAULT_NS: f64 = 5e3;
/// The longest that one system call takes, in nanoseconds, but for the bytes that it moves.
const CALL_NS: f64 = 10e3;
/// The longest that a call takes which makes a process or a program of it.
const START_NS: f64 = 1e6;
/// The longest that a call takes which only tells a number that the kernel has at hand: 100 to 400 as
/// a rule.
const TELL_NS: f64 = 1e3;
/// The longest that one byte takes that is read or written, in nanoseconds.
const BYTE_NS: f64 = 2.0;
/// Calls that make a process or a program of it.
const STARTS: [&str; 5] = ["clone", "clone3", "fork", "vfork", "execve"];
/// Calls that only tell a number.
const TELLS: [&str; 13] = [
    "getpid",
    "getppid",
    "gettid",
    "getuid",
    "geteuid",
    "getgid",
    "getegid",
    "getpgid",
    "getpgrp",
    "getsid",
    "getcpu",
    "clock_gettime",
    "gettimeofday",
];

/// What carries the change where the kernel's time does: that of which there is more in the same
/// direction and which, at what one of it costs at the most, can make half of the kernel's
/// difference. Of several it is the one that can make most. None where the kernel's time does not
/// carry it, or samples may have missed as much in short threads.
pub(super) fn kernel(known: &Known<'_>, carries: impl Fn(f64) -> bool) -> Option<Cause> {
    let difference = in_kernel(known, carries)?;
    let call_ns = match known.call {
        Some(call) if STARTS.contains(&call) => START_NS,
        Some(call) if TELLS.contains(&call) => TELL_NS,
        _ => CALL_NS,
    };
    let can = |what: Counted, each: f64| more(known, what) * each / known.run_ns;
    let bytes = |written| Cause::BytesMoved { written };
    let all = [
        (can(Counted::SystemCalls, call_ns), of_calls(known)),
        (can(Counted::PageFaults, FAULT_NS), Cause::PageFaults),
        (can(Counted::BytesRead, BYTE_NS), bytes(false)),
        (can(Counted::BytesWritten, BYTE_NS), bytes(true)),
    ];
    let enough = all
        .into_iter()
        .map(|(can, cause)| (can / difference, cause));
    let enough = enough.filter(|(can, _)| *can >= MOST);
    let most = enough.max_by(|a, b| a.0.total_cmp(&b.0));
    most.map(|(_, cause)| cause)
}

/// The kernel's time where it carries the change and no count tells why.
pub(super) fn untold(known: &Known<'_>, carries: impl Fn(f64) -> bool) -> Option<Cause> {
    in_kernel(known, carries).map(|_| Cause::Kernel)
}

/// The difference of the kernel's time, where it carries the change also without what samples may
/// have missed.
fn in_kernel(known: &Known<'_>, carries: impl Fn(f64) -> bool) -> Option<f64> {
    let mut places = known.places.iter();
    let kernel = places.find(|one| one.place == PlaceOf::Kernel)?;
    let difference = kernel.difference.filter(DifferenceFound::differs)?.estimate;
    let surely = (difference.abs() - known.unseen).max(0.0) * difference.signum();
    carries(surely).then_some(difference)
}

/// Calls whose least cost carries the change: the clock that samples user space sees little of what
/// the kernel takes.
pub(super) fn calls(known: &Known<'_>, carries: impl Fn(f64) -> bool) -> Option<Cause> {
    let differ = more(known, Counted::SystemCalls) != 0.0;
    if !(differ && carries(known.calls_at_least)) {
        return None;
    }
    Some(of_calls(known))
}

fn of_calls(known: &Known<'_>) -> Cause {
    if known.call == Some(LOCK) {
        return Cause::Waiting;
    }
    Cause::SystemCalls {
        call: known.call.map(str::to_owned),
    }
}
