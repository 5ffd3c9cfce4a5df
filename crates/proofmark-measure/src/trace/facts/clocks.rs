//! Clocks that go faster than they do, for a program that reads them by calls, waits for a time, or
//! has itself told when one is over.

use std::collections::HashMap;
use std::io;

use libc::c_int;

use super::super::calls::Tells;
use super::super::{memory, ptrace};
use super::time::AskedTime;
use super::{Thread, int, time};

/// What is known of the clocks of a run.
#[derive(Default)]
pub(super) struct Clocks {
    /// How many times as fast they go, where that is another matter than usual.
    times: Option<f64>,
    /// How often they were read, or told to say when a time is over: that is two, as of one that
    /// reads until then.
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
    /// Its result is a time as well: the ticks since some time, or the time of day in seconds.
    result: Option<Counts>,
}

/// What a result counts.
#[derive(Clone, Copy, Debug)]
enum Counts {
    Ticks,
    Seconds,
}

/// A call that sets a timer or waits, which is given shorter times than it asks for.
#[derive(Clone, Debug)]
pub(in crate::trace) struct Shortened {
    /// What stood where.
    held: Vec<(u64, [i64; 2])>,
}

/// What [`Counts::Ticks`] are called among clocks: no clock has this number.
const TICKS: c_int = c_int::MAX;

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
        let reading = |at, count, parts, real| Reading {
            at,
            count,
            parts,
            real,
            result: None,
        };
        let reading = match tells {
            Tells::ReadClock => {
                let clock = int(args[0]);
                let real = time::is_real(clock).then_some(clock);
                reading(args[1], 1, NANOSECONDS, real)
            }
            Tells::ReadTimeOfDay => reading(args[0], 1, 1_000_000, Some(libc::CLOCK_REALTIME)),
            // User and system time, one behind the other.
            Tells::ReadUsage => reading(args[1], 2, 1_000_000, None),
            Tells::ReadTicks => Reading {
                result: Some(Counts::Ticks),
                ..reading(args[0], 0, 1, None)
            },
            Tells::ReadSeconds => Reading {
                result: Some(Counts::Seconds),
                ..reading(args[0], 0, 1, None)
            },
            _ => return None,
        };
        self.read += 1;
        (reading.at != 0 || reading.result.is_some()).then_some(reading)
    }

    /// A timer is about to be set, or a wait about to begin: for a time that is so many times
    /// shorter.
    pub(super) fn shorten(
        &mut self,
        thread: Thread,
        asked: AskedTime,
    ) -> io::Result<Option<Shortened>> {
        let Some(times) = self.times else {
            return Ok(None);
        };
        let AskedTime {
            at,
            count,
            parts,
            until,
        } = asked;
        self.read += 2;
        let mut held = Vec::new();
        for index in 0..count {
            let place = at.wrapping_add(16 * index);
            let until = until.filter(|_| index + 1 == count);
            // Where nobody has read the clock, the time came from elsewhere.
            let first = until.and_then(|clock| self.first.get(&clock).copied());
            if until.is_some() && first.is_none() {
                continue;
            }
            // SAFETY: numbers.
            let stood = unsafe { memory::value::<[i64; 2]>(thread.pid, place)? };
            let time = memory::time(thread.pid, place, parts)?.filter(|time| *time > 0);
            if let Some((stood, time)) = stood.zip(time) {
                let first = first.unwrap_or_default();
                let shorter = part(time.saturating_sub(first), 1.0 / times);
                // None at all would stop a timer.
                let least = NANOSECONDS / parts;
                let time = first.saturating_add(shorter.max(least));
                memory::put_time(thread.pid, place, parts, time);
                held.push((place, stood));
            }
        }
        Ok(Some(Shortened { held }))
    }

    /// It was set, or is over: what stood there stands there again.
    pub(super) fn shortened(thread: Thread, set: &Shortened) {
        for (place, stood) in &set.held {
            memory::put(thread.pid, *place, stood);
        }
    }

    /// Puts other times in the place of those that were read: CPU time has gone so many times as
    /// far, and real time since it was read first.
    pub(super) fn end(&mut self, thread: Thread, reading: Reading, result: i64) -> io::Result<()> {
        let failed = match reading.result {
            None => result != 0,
            Some(_) => result < 0,
        };
        let Some(times) = self.times.filter(|_| !failed) else {
            return Ok(());
        };
        let Reading {
            at,
            count,
            parts,
            real,
            result: counts,
        } = reading;
        for place in (0..count).map(|index| at.wrapping_add(16 * index)) {
            if let Some(read) = memory::time(thread.pid, place, parts)? {
                let time = self.hurry(times, read, real);
                memory::put_time(thread.pid, place, parts, time);
            }
        }
        match counts {
            None => {}
            Some(Counts::Ticks) => {
                // User and system time, those of children that were waited for, and the result.
                // SAFETY: numbers.
                let used = unsafe { memory::value::<[i64; 4]>(thread.pid, at)? };
                if let Some(used) = used {
                    memory::put(thread.pid, at, &used.map(|ticks| part(ticks, times)));
                }
                ptrace::put_result(thread.pid, self.hurry(times, result, Some(TICKS)));
            }
            Some(Counts::Seconds) => {
                // Finer than seconds, or it would go on by four of them at once.
                let clock = libc::CLOCK_REALTIME;
                let now = i64::try_from(time::now(clock).as_nanos()).unwrap_or(i64::MAX);
                let seconds = self.hurry(times, now, Some(clock)) / NANOSECONDS;
                if at != 0 {
                    memory::put(thread.pid, at, &[seconds]);
                }
                ptrace::put_result(thread.pid, seconds);
            }
        }
        Ok(())
    }

    /// What a clock shows that goes so many times as fast: of CPU time from the start on, of real
    /// time since it was read first.
    fn hurry(&mut self, times: f64, read: i64, real: Option<c_int>) -> i64 {
        let first = match real {
            Some(clock) => *self.first.entry(clock).or_insert(read),
            None => 0,
        };
        first.saturating_add(part(read.saturating_sub(first), times))
    }
}

const NANOSECONDS: i64 = 1_000_000_000;

#[expect(clippy::cast_possible_truncation, reason = "a time, which saturates")]
fn part(time: i64, times: f64) -> i64 {
    (time as f64 * times) as i64
}
