//! How long a thread ran and waited for a core, as the kernel tells when it ends.

use std::time::Duration;

use libc::pid_t;

use crate::trace::found::Queue;

impl Queue {
    /// Adds a thread that is about to end.
    pub(in crate::trace) fn add(&mut self, thread: pid_t) {
        let told = std::fs::read_to_string(format!("/proc/{thread}/schedstat")).unwrap_or_default();
        if let Some((ran, waited)) = read(&told) {
            self.ran += ran;
            self.waited += waited;
        }
    }
}

/// `nanoseconds run, nanoseconds waited, times run` (Documentation/scheduler/sched-stats.rst).
fn read(told: &str) -> Option<(Duration, Duration)> {
    let mut numbers = told.split_whitespace().map(str::parse);
    let (ran, waited) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    Some((Duration::from_nanos(ran), Duration::from_nanos(waited)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_line_of_the_kernel() {
        let (ran, waited) = read("1200000 300 7\n").unwrap();
        assert_eq!((ran.as_nanos(), waited.as_nanos()), (1_200_000, 300));
        assert_eq!(read(""), None);
        assert_eq!(read("12"), None);
    }
}
