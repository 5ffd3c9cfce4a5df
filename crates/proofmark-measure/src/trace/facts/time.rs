//! What a program waits for by the clock.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use libc::{c_int, clockid_t};

use super::super::found::{Sleeps, Spans, WaitKind};
use super::super::memory;
use super::super::tells::{Clock, Length, Tells};
use super::{Pending, Thread, TimerClocks, int};

/// Times that were asked for.
#[derive(Default)]
pub(super) struct Timed {
    spans: BTreeMap<WaitKind, Spans>,
    sleeps: Sleeps,
    timers: TimerClocks,
    files: TimerClocks,
}

impl Timed {
    pub(super) fn found(self) -> (BTreeMap<WaitKind, Spans>, Sleeps) {
        (self.spans, self.sleeps)
    }

    pub(super) fn begin(
        &mut self,
        thread: Thread,
        tells: Tells,
        args: &[u64; 6],
    ) -> io::Result<Option<Pending>> {
        match tells {
            Tells::Wait { kind, length, of } => self.wait(thread, kind, length, of, args)?,
            Tells::Sleep => self.sleep(memory::timespec(thread.pid, args[0])?),
            Tells::ClockSleep => {
                let length = length(thread, int(args[0]), int(args[1]), args[2])?;
                self.sleep(length);
            }
            Tells::Futex => {
                let length = futex(thread, args)?;
                self.note(WaitKind::Lock, length);
            }
            Tells::SocketOption => self.socket_option(thread, args)?,
            Tells::SetTimer if int(args[0]) == libc::ITIMER_REAL && args[1] != 0 => {
                // The repeat, then the first time; none at all means that the timer is stopped.
                let first = memory::timeval(thread.pid, args[1].wrapping_add(16))?;
                if first.is_some_and(|first| !first.is_zero()) {
                    self.note(WaitKind::IntervalTimer, first);
                    let repeat = memory::timeval(thread.pid, args[1])?;
                    self.note(WaitKind::IntervalTimer, repeat);
                }
            }
            #[cfg(target_arch = "x86_64")]
            Tells::Alarm => {
                let seconds = Duration::from_secs(args[0] & u64::from(u32::MAX));
                self.note(WaitKind::IntervalTimer, Some(seconds));
            }
            Tells::MakeTimer => {
                return Ok(Some(Pending::Timer {
                    clock: int(args[0]),
                    number: Some(args[2]),
                }));
            }
            Tells::MakeTimerFile => {
                return Ok(Some(Pending::Timer {
                    clock: int(args[0]),
                    number: None,
                }));
            }
            Tells::SetPosixTimer => {
                let clock = clock_of(&self.timers, thread, args[0]);
                self.set(thread, WaitKind::PosixTimer, clock, args)?;
            }
            Tells::SetTimerFile => {
                let clock = clock_of(&self.files, thread, args[0]);
                self.set(thread, WaitKind::TimerFile, clock, args)?;
            }
            _ => {}
        }
        Ok(None)
    }

    /// A timer was made.
    pub(super) fn made(
        &mut self,
        thread: Thread,
        clock: c_int,
        number: Option<u64>,
        result: i64,
    ) -> io::Result<()> {
        if result < 0 {
            return Ok(());
        }
        match number {
            None => {
                self.files.insert((thread.process, result), clock);
            }
            Some(address) => {
                // SAFETY: a number.
                let number = unsafe { memory::value::<c_int>(thread.pid, address)? };
                if let Some(number) = number {
                    self.timers.insert((thread.process, number.into()), clock);
                }
            }
        }
        Ok(())
    }

    fn wait(
        &mut self,
        thread: Thread,
        kind: WaitKind,
        length: Length,
        of: Option<usize>,
        args: &[u64; 6],
    ) -> io::Result<()> {
        let length = match length {
            Length::Millis(at) => u64::try_from(int(args[at])).ok().map(Duration::from_millis),
            Length::Timespec(at) => memory::timespec(thread.pid, args[at])?,
            Length::Timeval(at) => memory::timeval(thread.pid, args[at])?,
            Length::Until { at, clock } => {
                let clock = match clock {
                    Clock::Is(clock) => clock,
                    Clock::Argument(at) => int(args[at]),
                };
                self::length(thread, clock, libc::TIMER_ABSTIME, args[at])?
            }
        };
        if of.is_some_and(|of| args[of] == 0) {
            self.sleep(length);
        } else {
            self.note(kind, length);
        }
        Ok(())
    }

    /// `timer_settime` and `timerfd_settime`: flags, then a pointer to the repeat and the first
    /// time.
    fn set(
        &mut self,
        thread: Thread,
        kind: WaitKind,
        clock: clockid_t,
        args: &[u64; 6],
    ) -> io::Result<()> {
        if args[2] == 0 || !is_real(clock) {
            return Ok(());
        }
        let first = args[2].wrapping_add(16);
        // None at all means that the timer is stopped.
        if memory::timespec(thread.pid, first)?.is_some_and(|first| !first.is_zero()) {
            self.note(kind, length(thread, clock, int(args[1]), first)?);
            self.note(kind, memory::timespec(thread.pid, args[2])?);
        }
        Ok(())
    }

    fn socket_option(&mut self, thread: Thread, args: &[u64; 6]) -> io::Result<()> {
        let limits = [libc::SO_RCVTIMEO, libc::SO_SNDTIMEO];
        if int(args[1]) == libc::SOL_SOCKET && limits.contains(&int(args[2])) {
            self.note(WaitKind::Message, memory::timeval(thread.pid, args[3])?);
        }
        Ok(())
    }

    /// No time at all is not waited for.
    fn note(&mut self, kind: WaitKind, length: Option<Duration>) {
        let Some(length) = length.filter(|length| !length.is_zero()) else {
            return;
        };
        let spans = self.spans.entry(kind).or_insert(Spans {
            times: 0,
            shortest: length,
            longest: length,
        });
        spans.times += 1;
        spans.shortest = spans.shortest.min(length);
        spans.longest = spans.longest.max(length);
    }

    fn sleep(&mut self, length: Option<Duration>) {
        if let Some(length) = length.filter(|length| !length.is_zero()) {
            self.sleeps.times += 1;
            self.sleeps.asked = self.sleeps.asked.saturating_add(length);
        }
    }
}

impl Timed {
    /// Where a call says how long a timer, a sleep or a wait for a lock is to be.
    pub(super) fn asked(&self, thread: Thread, tells: Tells, args: &[u64; 6]) -> Option<AskedTime> {
        let real = libc::CLOCK_REALTIME;
        let (at, count, parts, clock, flags) = match tells {
            Tells::SetTimer if int(args[0]) == libc::ITIMER_REAL => {
                (args[1], 2, 1_000_000, real, 0)
            }
            Tells::SetTimer => (args[1], 2, 1_000_000, libc::CLOCK_PROCESS_CPUTIME_ID, 0),
            Tells::SetPosixTimer => {
                let clock = clock_of(&self.timers, thread, args[0]);
                (args[2], 2, NANOSECONDS, clock, int(args[1]))
            }
            Tells::SetTimerFile => {
                let clock = clock_of(&self.files, thread, args[0]);
                (args[2], 2, NANOSECONDS, clock, int(args[1]))
            }
            Tells::Sleep => (args[0], 1, NANOSECONDS, real, 0),
            Tells::ClockSleep => {
                let clock = int(args[0]);
                (args[2], 1, NANOSECONDS, clock, int(args[1]))
            }
            Tells::Futex => {
                let (clock, flags) = limit_of_futex(int(args[1]))?;
                (args[3], 1, NANOSECONDS, clock, flags)
            }
            _ => return None,
        };
        // CPU time begins with the process: until then is as long as from now on.
        let is_until = flags & libc::TIMER_ABSTIME != 0 && is_real(clock);
        (at != 0).then_some(AskedTime {
            at,
            count,
            parts,
            is_real: is_real(clock),
            until: is_until.then_some(clock),
        })
    }
}

/// A time that a call asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct AskedTime {
    /// Where it is; of a timer first the repeat, then the time until it goes off first.
    pub(super) at: u64,
    /// How many there are, one behind the other.
    pub(super) count: u64,
    /// How many parts make a second.
    pub(super) parts: i64,
    /// It goes on while the program does not run.
    pub(super) is_real: bool,
    /// The last one is no length: it is when this clock shows that.
    pub(super) until: Option<c_int>,
}

const NANOSECONDS: i64 = 1_000_000_000;

/// A timer's clock. One that was made before this process was, or has another number since, is
/// taken for one of real time.
fn clock_of(clocks: &TimerClocks, thread: Thread, number: u64) -> clockid_t {
    let known = clocks.get(&(thread.process, int(number).into()));
    known.copied().unwrap_or(libc::CLOCK_MONOTONIC)
}

/// Whether a clock goes on while the program does not run. Those of other processes and threads are
/// negative (or this program's own), and are of CPU time; so are descriptors of clocks, which are
/// hardly ever used.
pub(super) fn is_real(clock: clockid_t) -> bool {
    clock >= 0
        && !matches!(
            clock,
            libc::CLOCK_PROCESS_CPUTIME_ID | libc::CLOCK_THREAD_CPUTIME_ID
        )
}

/// A time at an address: from now, or with `TIMER_ABSTIME` among the flags until then.
fn length(
    thread: Thread,
    clock: clockid_t,
    flags: c_int,
    address: u64,
) -> io::Result<Option<Duration>> {
    let time = memory::timespec(thread.pid, address)?;
    if !is_real(clock) {
        return Ok(None);
    }
    Ok(if flags & libc::TIMER_ABSTIME == 0 {
        time
    } else {
        time.map(|time| time.saturating_sub(now(clock)))
    })
}

/// What a lock waits for at most.
fn futex(thread: Thread, args: &[u64; 6]) -> io::Result<Option<Duration>> {
    let Some((clock, flags)) = limit_of_futex(int(args[1])) else {
        return Ok(None);
    };
    length(thread, clock, flags, args[3])
}

/// By which clock a lock's limit goes, and whether it is a time from now (futex(2)).
fn limit_of_futex(operation: c_int) -> Option<(clockid_t, c_int)> {
    let clock = if operation & libc::FUTEX_CLOCK_REALTIME == 0 {
        libc::CLOCK_MONOTONIC
    } else {
        libc::CLOCK_REALTIME
    };
    match operation & libc::FUTEX_CMD_MASK {
        libc::FUTEX_WAIT => Some((clock, 0)),
        libc::FUTEX_WAIT_BITSET | libc::FUTEX_WAIT_REQUEUE_PI => Some((clock, libc::TIMER_ABSTIME)),
        libc::FUTEX_LOCK_PI => Some((libc::CLOCK_REALTIME, libc::TIMER_ABSTIME)),
        _ => None,
    }
}

/// A clock's reading; nothing when there is no such clock.
pub(super) fn now(clock: clockid_t) -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: fills the structure.
    unsafe { libc::clock_gettime(clock, &mut time) };
    let part = u32::try_from(time.tv_nsec).unwrap_or(0);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), part)
}
