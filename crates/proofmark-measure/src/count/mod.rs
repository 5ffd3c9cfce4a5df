//! Exact instruction counts: the same for every run of the same work, wherever the linker put the
//! code. Evidence that work changed, never a verdict about time.

mod valgrind;

pub(crate) use crate::valgrind::find;

use std::time::Duration;

use crate::counters::{self, Counter};
use crate::{Interrupt, Launch, Unavailable};

/// The longest that counting may take, whatever the launch allows: valgrind runs a program some
/// fifty times slower.
pub const LIMIT: Duration = Duration::from_secs(120);

/// Instructions of one run, user space only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// Instructions, of the program and its descendants.
    pub instructions: u64,
    /// What counted: `perf` or `valgrind`. Their counts differ (valgrind replaces `memcpy` and its
    /// like): compare like with like.
    pub by: &'static str,
}

/// A program that valgrind slows down less than so many times is rare.
const LEAST_SLOWDOWN: u32 = 10;

/// Whether it is worth trying to count a run that takes so much CPU time: within [`LIMIT`].
///
/// # Errors
/// The reason, where only valgrind could count and it would not come to an end.
pub fn worth_trying(cpu: Duration) -> Result<(), Unavailable> {
    if cpu.saturating_mul(LEAST_SLOWDOWN) <= LIMIT || Counter::Instructions.available().is_ok() {
        return Ok(());
    }
    Err(Unavailable::TooSlow {
        run: Duration::from_millis(u64::try_from(cpu.as_millis()).unwrap_or(u64::MAX)),
        limit: LIMIT,
    })
}

/// Runs the program once, ASLR off, and counts its instructions: by the processor where it can,
/// otherwise under valgrind. For at most `launch.timeout` or [`LIMIT`], whichever is shorter.
///
/// Exact only as far as the program is: give every build the same environment and a path of the
/// same length. Hardware counts differ by a few instructions from run to run (interrupts),
/// valgrind's do not.
///
/// # Errors
/// The reason when neither can be had, when it took too long, or when the program failed under it.
pub fn instructions(launch: &Launch, stop: &Interrupt) -> Result<Count, Unavailable> {
    let launch = Launch {
        aslr: false,
        timeout: launch.timeout.min(LIMIT),
        ..launch.clone()
    };
    if Counter::Instructions.available().is_err() {
        return valgrind::instructions(&launch, stop);
    }
    let counted = counters::count(&launch, &[Counter::Instructions], stop)?;
    let reading = counted.readings.into_iter().next().map_or(
        Err(Unavailable::NoCounter("instructions")),
        |(_, reading)| reading,
    );
    match reading {
        Ok(instructions) if instructions > 0 => Ok(Count {
            instructions,
            by: "perf",
        }),
        _ => valgrind::instructions(&launch, stop),
    }
}
