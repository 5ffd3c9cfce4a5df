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
        let told = std::fs::read_to_string(format!("/proc/{thread}/task/{thread}/stat"));
        if let Some(ticks) = in_code(&told.unwrap_or_default()) {
            self.in_code += of_ticks(ticks);
        }
    }
}

/// `nanoseconds run, nanoseconds waited, times run` (Documentation/scheduler/sched-stats.rst).
fn read(told: &str) -> Option<(Duration, Duration)> {
    let mut numbers = told.split_whitespace().map(str::parse);
    let (ran, waited) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    Some((Duration::from_nanos(ran), Duration::from_nanos(waited)))
}

/// Clock ticks in user mode, which `proc_pid_stat(5)` tells as the fourteenth word. The name in
/// brackets may hold spaces and brackets.
fn in_code(told: &str) -> Option<u64> {
    let (_, after) = told.rsplit_once(") ")?;
    after.split_whitespace().nth(11)?.parse().ok()
}

/// A time of so many clock ticks.
fn of_ticks(ticks: u64) -> Duration {
    let a_second = rustix::param::clock_ticks_per_second().max(1);
    Duration::from_millis(ticks.saturating_mul(1000) / a_second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_in_code_stand_behind_the_name() {
        let stat = "12 (a (b) c) R 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20 0 1 0";
        assert_eq!(in_code(stat), Some(250));
        assert_eq!(in_code("12 (a"), None);
    }

    #[test]
    fn of_a_line_of_the_kernel() {
        let (ran, waited) = read("1200000 300 7\n").unwrap();
        assert_eq!((ran.as_nanos(), waited.as_nanos()), (1_200_000, 300));
        assert_eq!(read(""), None);
        assert_eq!(read("12"), None);
    }
}
