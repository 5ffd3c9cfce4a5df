//! Clocks that go faster than they do, for a program that reads them by calls, waits for a time, or
//! has itself told when one is over.

use std::collections::HashMap;
use std::io;

use libc::{c_int, pid_t};

use super::super::tells::Tells;
use super::super::{Haste, memory, ptrace};
use super::time::AskedTime;
use super::{Thread, int, time};

/// What is known of the clocks of a run.
#[derive(Default)]
pub(super) struct Clocks {
    /// Where they go otherwise than usual.
    haste: Option<Haste>,
    /// How often they were read, or told to say when a time is over: that is two, as of one that
    /// reads until then.
    pub(super) read: u64,
    /// What each clock of real time showed first.
    first: HashMap<c_int, i64>,
    /// By process and address.
    held: HashMap<(pid_t, u64), Held>,
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
    /// Where they are.
    places: Vec<u64>,
}

/// A time in the place of another one.
#[derive(Clone, Copy)]
struct Held {
    put: [i64; 2],
    stood: [i64; 2],
    /// How many threads wait by it.
    threads: u32,
}

/// What [`Counts::Ticks`] are called among clocks: no clock has this number.
const TICKS: c_int = c_int::MAX;

impl Clocks {
    /// Clocks that go faster.
    pub(super) fn hurried(haste: Option<Haste>) -> Clocks {
        Clocks {
            haste,
            ..Clocks::default()
        }
    }

    pub(super) fn are_hurried(&self) -> bool {
        self.haste.is_some()
    }

    /// A clock is about to be read. It only matters where clocks go faster.
    pub(super) fn begin(&mut self, tells: Tells, args: &[u64; 6]) -> Option<Reading> {
        self.haste?;
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
        let Some(Haste { times, longest }) = self.haste else {
            return Ok(None);
        };
        let longest = i64::try_from(longest.as_nanos()).unwrap_or(i64::MAX);
        self.read += 2;
        let mut places = Vec::new();
        // Of the repeat of a timer, and then of the time until it goes off.
        let mut repeats = false;
        for index in 0..asked.count {
            let (place, is_last) = (asked.at.wrapping_add(16 * index), index + 1 == asked.count);
            // SAFETY: numbers.
            let stood = unsafe { memory::value::<[i64; 2]>(thread.pid, place)? };
            let time = memory::time(thread.pid, place, asked.parts)?.filter(|time| *time > 0);
            let Some((stood, time)) = stood.zip(time) else {
                continue;
            };
            // Another thread waits by the same time.
            if let Some(held) = self.held.get_mut(&(thread.process, place))
                && held.put == stood
            {
                held.threads += 1;
                places.push(place);
                continue;
            }
            repeats |= asked.is_real && !is_last;
            let (from, length) = match asked.until.filter(|_| is_last) {
                None => (0, time),
                // Where nobody has read the clock, the time came from elsewhere.
                Some(clock) if !self.first.contains_key(&clock) => continue,
                Some(clock) => {
                    let now = i64::try_from(time::now(clock).as_nanos()).unwrap_or(i64::MAX);
                    (
                        now,
                        time.saturating_sub(self.hurry(times, now, Some(clock))),
                    )
                }
            };
            // What repeats has no end, and an undisturbed run does not come to that of the longest.
            let length = if repeats || length > longest {
                length
            } else {
                part(length, 1.0 / times)
            };
            // None at all would stop a timer.
            let time = from.saturating_add(length.max(NANOSECONDS / asked.parts));
            memory::put_time(thread.pid, place, asked.parts, time);
            // SAFETY: numbers.
            let stands = unsafe { memory::value::<[i64; 2]>(thread.pid, place)? };
            if let Some(put) = stands.filter(|stands| *stands != stood) {
                let held = Held {
                    put,
                    stood,
                    threads: 1,
                };
                self.held.insert((thread.process, place), held);
                places.push(place);
            }
        }
        Ok(Some(Shortened { places }))
    }

    /// It was set, or is over: what stood there stands there again, as soon as nobody waits by it any
    /// more. A sleep that was interrupted may have put there what is left of it.
    pub(super) fn shortened(&mut self, thread: Thread, set: &Shortened) -> io::Result<()> {
        for &place in &set.places {
            let key = (thread.process, place);
            let Some(held) = self.held.get_mut(&key) else {
                continue;
            };
            held.threads = held.threads.saturating_sub(1);
            if held.threads == 0 {
                let Held { put, stood, .. } = *held;
                self.held.remove(&key);
                // SAFETY: numbers.
                let stands = unsafe { memory::value::<[i64; 2]>(thread.pid, place)? };
                if stands == Some(put) {
                    memory::put(thread.pid, place, &stood);
                }
            }
        }
        Ok(())
    }

    /// Puts other times in the place of those that were read: CPU time has gone so many times as
    /// far, and real time since it was read first.
    pub(super) fn end(&mut self, thread: Thread, reading: Reading, result: i64) -> io::Result<()> {
        let failed = match reading.result {
            None => result != 0,
            Some(_) => result < 0,
        };
        let Some(Haste { times, .. }) = self.haste.filter(|_| !failed) else {
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
