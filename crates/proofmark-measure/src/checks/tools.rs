//! What the instrument can make use of here.

use std::path::Path;
use std::time::{Duration, Instant};

use super::{Check, CheckStatus};
use crate::count::find;
use crate::counters::Counter;
use crate::instrument::{Grouping, Instrument, InstrumentOptions};
use crate::machine::read::file;

pub(super) fn counters() -> Check {
    let available = Counter::Instructions.available();
    Check {
        name: "hardware counters",
        status: if available.is_ok() { CheckStatus::Good } else { CheckStatus::Missing },
        found: available.as_ref().map_or_else(ToString::to_string, |()| "instructions can be counted".to_owned()),
        why: "counters tell why one build is faster, and count instructions without slowing the program down",
        remedy: available.is_err().then_some("on a virtual machine, ask for one with a virtual PMU; elsewhere sysctl kernel.perf_event_paranoid=2"),
    }
}

pub(super) fn valgrind() -> Check {
    let found = find("valgrind");
    Check {
        name: "valgrind",
        status: if found.is_some() {
            CheckStatus::Good
        } else {
            CheckStatus::Missing
        },
        found: found.as_ref().map_or_else(
            || "not installed".to_owned(),
            |path| path.display().to_string(),
        ),
        why: "it counts instructions exactly where the processor cannot, for the line \"the work changed\"",
        remedy: found.is_none().then_some("install the package valgrind"),
    }
}

pub(super) fn grouping() -> Check {
    let instrument = Instrument::new(InstrumentOptions::default());
    let (status, found) = match instrument.as_ref().map(Instrument::grouping) {
        Ok(Grouping::CgroupV2) => (CheckStatus::Good, "cgroup v2".to_owned()),
        Ok(Grouping::CgroupV1 { why }) => (
            CheckStatus::Missing,
            format!("cgroup v1; v2 not to be had ({why})"),
        ),
        Ok(Grouping::Signals { why }) => (CheckStatus::Missing, format!("no cgroup ({why})")),
        Err(error) => (CheckStatus::Hurts, error.to_string()),
    };
    Check {
        name: "cgroup freezer",
        status,
        found,
        why: "without it slices are made by SIGSTOP, which interrupts sleeping system calls, and \
              CPU time of children that nobody waits for is not seen",
        remedy: (status != CheckStatus::Good).then_some(
            "run proofmark in a cgroup of your own: systemd-run --user --scope -p Delegate=yes \
             proofmark …",
        ),
    }
}

pub(super) fn clock(root: &Path) -> Check {
    let source = file(
        root,
        "sys/devices/system/clocksource/clocksource0/current_clocksource",
    );
    let (status, remedy) = match source.as_deref() {
        Some("tsc" | "arch_sys_counter" | "kvm-clock") => (CheckStatus::Good, None),
        Some(_) => (
            CheckStatus::Hurts,
            Some(
                "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource, where the kernel offers it",
            ),
        ),
        None => (CheckStatus::Unknown, None),
    };
    Check {
        name: "clock source",
        status,
        found: source.unwrap_or_else(|| "not told".to_owned()),
        why: "a slow clock source makes every look at the time a call into the kernel, for the measured program as well",
        remedy,
    }
}

/// The smallest step between two different readings of the monotonic clock, and how late a short
/// sleep ends.
pub(super) fn timer() -> Check {
    let step = (0..1000).map(|_| clock_step()).min().unwrap_or_default();
    let late = (0..20).map(|_| lateness()).min().unwrap_or_default();
    let coarse = step > Duration::from_micros(1) || late > Duration::from_millis(1);
    Check {
        name: "timer",
        status: if coarse {
            CheckStatus::Hurts
        } else {
            CheckStatus::Good
        },
        found: format!(
            "clock step {} ns, a sleep ends {} µs late at best",
            step.as_nanos(),
            late.as_micros()
        ),
        why: "slices of a few milliseconds end on a timer",
        remedy: coarse.then_some("boot a kernel with high-resolution timers (highres=on)"),
    }
}

fn clock_step() -> Duration {
    let start = Instant::now();
    loop {
        let step = start.elapsed();
        if !step.is_zero() {
            return step;
        }
    }
}

fn lateness() -> Duration {
    let wanted = Duration::from_micros(200);
    let start = Instant::now();
    std::thread::sleep(wanted);
    start.elapsed().saturating_sub(wanted)
}

#[cfg(test)]
mod tests {
    use super::super::laid_out;
    use super::*;

    #[test]
    fn clock_sources_are_judged() {
        let path = "sys/devices/system/clocksource/clocksource0/current_clocksource";
        assert_eq!(
            clock(laid_out(&[(path, "tsc\n")]).path()).status,
            CheckStatus::Good
        );
        assert_eq!(
            clock(laid_out(&[(path, "hpet\n")]).path()).status,
            CheckStatus::Hurts
        );
        assert_eq!(clock(laid_out(&[]).path()).status, CheckStatus::Unknown);
    }
}
