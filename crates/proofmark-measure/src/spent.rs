//! What a run took beside the places at which it was seen.

use std::time::Duration;

/// What a run took: it, and all processes that it waited for. The few instructions between its
/// creation and its becoming the program are in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// CPU time, in user space and in the kernel.
    pub cpu: Duration,
    /// From just before it was created until its end was seen.
    pub wall: Duration,
    /// Pages that had to be provided, with those that came from the disk.
    pub page_faults: u64,
    /// How often it gave up its core by itself, to wait for something.
    pub waits: u64,
    /// How often its core was taken from it.
    pub preempted: u64,
}

impl Spent {
    pub(crate) fn of(usage: &libc::rusage, wall: Duration) -> Spent {
        let time = |time: libc::timeval| {
            let (whole, micros) = (unsigned(time.tv_sec), unsigned(time.tv_usec));
            Duration::from_secs(whole) + Duration::from_micros(micros)
        };
        Spent {
            cpu: time(usage.ru_utime) + time(usage.ru_stime),
            wall,
            page_faults: unsigned(usage.ru_minflt) + unsigned(usage.ru_majflt),
            waits: unsigned(usage.ru_nvcsw),
            preempted: unsigned(usage.ru_nivcsw),
        }
    }
}

/// A count of the kernel's, which is never negative.
fn unsigned(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}
