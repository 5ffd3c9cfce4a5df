//! Clocks that go faster than they do, for a program that reads them by calls.

use std::collections::HashMap;
use std::io;

use libc::c_int;

use super::super::calls::Tells;
use super::super::memory;
use super::{Thread, int, time};

/// What is known of the clocks of a run.
#[derive(Default)]
pub(super) struct Clocks {
    /// How many times as fast they go, where that is another matter than usual.
    times: Option<f64>,
    /// How often they were read.
    pub(super) read: u64,
    /// What each clock of real time showed first.
    first: HashMap<c_int, i64>,
}

/// A call that reads a clock.
#[derive(Clone, Copy, Debug)]
pub(in crate::trace) struct Reading {
    /// Where its times go, one behind the other.
    at: u64,
    /// How many there are.
    count: u64,
    /// How many parts make a second.
    parts: i64,
    /// The clock, if it goes on while the program does not run.
    real: Option<c_int>,
}

impl Clocks {
    /// Clocks that go so many times as fast.
    pub(super) fn hurried(times: Option<f64>) -> Clocks {
        Clocks {
            times,
            ..Clocks::default()
        }
    }

    pub(super) fn are_hurried(&self) -> bool {
        self.times.is_some()
    }

    /// A clock is about to be read. It only matters where clocks go faster.
    pub(super) fn begin(&mut self, tells: Tells, args: &[u64; 6]) -> Option<Reading> {
        self.times?;
        let (at, count, parts, real) = match tells {
            Tells::ReadClock => {
                let clock = int(args[0]);
                let real = time::is_real(clock).then_some(clock);
                (args[1], 1, 1_000_000_000, real)
            }
            Tells::ReadTimeOfDay => (args[0], 1, 1_000_000, Some(libc::CLOCK_REALTIME)),
            // User and system time, one behind the other.
            Tells::ReadUsage => (args[1], 2, 1_000_000, None),
            _ => return None,
        };
        self.read += 1;
        (at != 0).then_some(Reading {
            at,
            count,
            parts,
            real,
        })
    }

    /// Puts other times in the place of those that were read: CPU time has gone so many times as
    /// far, and real time since it was read first.
    pub(super) fn end(&mut self, thread: Thread, reading: Reading, result: i64) -> io::Result<()> {
        let Some(times) = self.times.filter(|_| result == 0) else {
            return Ok(());
        };
        let Reading {
            at,
            count,
            parts,
            real,
        } = reading;
        for place in (0..count).map(|index| at.wrapping_add(16 * index)) {
            let Some(read) = memory::time(thread.pid, place, parts)? else {
                continue;
            };
            let first = match real {
                Some(clock) => *self.first.entry(clock).or_insert(read),
                None => 0,
            };
            #[expect(clippy::cast_possible_truncation, reason = "a time, which saturates")]
            let gone = (read.saturating_sub(first) as f64 * times) as i64;
            memory::put_time(thread.pid, place, parts, first.saturating_add(gone));
        }
        Ok(())
    }
}
