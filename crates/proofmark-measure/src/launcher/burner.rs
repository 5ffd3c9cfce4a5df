//! The tax on a run: a process that does nothing but spend time, born where the program ran once
//! that has ended by itself.
//!
//! It shares the launcher's memory (CLONE_VM) and has a stack of its own, so that its birth copies
//! nothing and its end frees nothing. Everything here runs in the launcher or in that process: no
//! allocation, no lock, no panic.

use std::ffi::{c_int, c_void};

use super::child::{self, Birth};
use super::kernel::{cpu_us, now};
use super::left_behind;
use super::wire::{Area, BURNER_STACK_BYTES, Burn, SLOTS};
use crate::cgroup::Entry;
use crate::{Tax, TaxedClock};

/// A burner under way.
#[derive(Clone, Copy)]
pub(super) struct Burning {
    pub(super) pid: libc::pid_t,
    pub(super) pidfd: c_int,
    clock: TaxedClock,
}

/// Where a burner is born.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) slot: usize,
    pub(super) entry: Entry,
    pub(super) group: c_int,
}

/// What a burner costs after its last look at the clock (its end, and for the wall clock the
/// launcher's wake-up), in nanoseconds. It stops earlier by as much.
#[derive(Clone, Copy, Default)]
pub(super) struct Afters {
    cpu_ns: Option<u64>,
    wall_ns: Option<u64>,
}

/// How many burners that stop at once are timed before the first one that counts.
const TRIALS: u32 = 8;

impl Afters {
    /// The cost for one clock; learned from burners that stop at once where nothing is known yet.
    pub(super) fn of(&mut self, area: *mut Area, clock: TaxedClock) -> u64 {
        if let Some(known) = *self.slot(clock) {
            return known;
        }
        let place = Place {
            slot: SLOTS,
            entry: Entry::None,
            group: -1,
        };
        let least = (0..TRIALS)
            .filter_map(|_| {
                let burning = start(area, place, clock, 0).ok()?;
                let mut watched = libc::pollfd {
                    fd: burning.pidfd,
                    events: libc::POLLIN,
                    revents: 0,
                };
                // SAFETY: one descriptor of ours.
                unsafe { libc::poll(&mut watched, 1, -1) };
                let ended_ns = now(libc::CLOCK_MONOTONIC);
                let usage = reap(&burning)?;
                Some(after(area, place.slot, &burning, usage, ended_ns))
            })
            .min();
        *self.slot(clock).get_or_insert(least.unwrap_or(0))
    }

    /// Learns from a burner that has ended: a sliding mean, in which one disturbed end counts as
    /// four usual ones at most.
    pub(super) fn learn(
        &mut self,
        area: *mut Area,
        slot: usize,
        burning: &Burning,
        cpu_us: u64,
        ended_ns: u64,
    ) {
        let seen = after(area, slot, burning, cpu_us, ended_ns);
        if let Some(known) = self.slot(burning.clock) {
            *known = (*known * 15 + seen.min(*known * 4 + 1000)) / 16;
        }
    }

    fn slot(&mut self, clock: TaxedClock) -> &mut Option<u64> {
        match clock {
            TaxedClock::Cpu => &mut self.cpu_ns,
            TaxedClock::Wall => &mut self.wall_ns,
        }
    }
}

/// What a burner took after its last look at its clock.
fn after(area: *mut Area, slot: usize, burning: &Burning, cpu_us: u64, ended_ns: u64) -> u64 {
    // SAFETY: the burner has ended, and wrote before.
    let stopped_ns = unsafe {
        std::ptr::read_volatile(std::ptr::addr_of!((*area).burners[slot].burn.stopped_ns))
    };
    match burning.clock {
        TaxedClock::Cpu => (cpu_us * 1000).saturating_sub(stopped_ns),
        TaxedClock::Wall => ended_ns.saturating_sub(stopped_ns),
    }
}

/// Levies `tax` on what a run spent by the tax's clock; `seen_ns` is when its end was seen,
/// `after_ns` what a burner costs beyond its target.
pub(super) fn levy(
    area: *mut Area,
    place: Place,
    tax: Tax,
    spent_ns: u64,
    seen_ns: u64,
    after_ns: u64,
) -> Result<Burning, c_int> {
    let due = tax.of(spent_ns).saturating_sub(after_ns);
    let until_ns = match tax.clock() {
        TaxedClock::Cpu => due,
        TaxedClock::Wall => seen_ns.saturating_add(due),
    };
    start(area, place, tax.clock(), until_ns)
}

fn start(
    area: *mut Area,
    place: Place,
    clock: TaxedClock,
    until_ns: u64,
) -> Result<Burning, c_int> {
    let mut pidfd = -1;
    // SAFETY: the area is mapped for as long as the launcher lives; this slot's burner has ended,
    // or was never born.
    let pid = unsafe {
        let burner = std::ptr::addr_of_mut!((*area).burners[place.slot]);
        (*burner).burn = Burn {
            clock: match clock {
                TaxedClock::Cpu => libc::CLOCK_PROCESS_CPUTIME_ID,
                TaxedClock::Wall => libc::CLOCK_MONOTONIC,
            },
            until_ns,
            launcher: libc::getpid(),
            enter: if place.entry == Entry::WriteSelf {
                place.group
            } else {
                -1
            },
            stopped_ns: 0,
        };
        let birth = Birth {
            flags: libc::CLONE_VM | libc::CLONE_PIDFD,
            stack: std::ptr::addr_of_mut!((*burner).stack).cast(),
            stack_bytes: BURNER_STACK_BYTES,
            body: burn,
            data: std::ptr::addr_of_mut!((*burner).burn).cast(),
        };
        let group = (place.entry == Entry::CloneInto).then_some(place.group);
        child::clone(&birth, &mut pidfd, group)?
    };
    Ok(Burning { pid, pidfd, clock })
}

/// Reaps a burner that has ended; its CPU time in microseconds, or `None` when it was ended before
/// it was done.
pub(super) fn reap(burning: &Burning) -> Option<u64> {
    let mut status = 0;
    // SAFETY: an all-zero rusage is valid; the child is ours and has ended.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::wait4(burning.pid, &mut status, 0, &mut usage);
        libc::close(burning.pidfd);
        usage
    };
    (libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0).then(|| cpu_us(&usage))
}

/// CPU time that a group has used, in microseconds; `None` where the kernel does not account for
/// groups.
pub(super) fn group_cpu_us(group: c_int) -> Option<u64> {
    let mut text = [0; 512];
    let text = left_behind::read(group, c"cpu.stat", &mut text)?;
    let digits = text.strip_prefix(b"usage_usec ")?;
    let end = digits.iter().position(|byte| !byte.is_ascii_digit())?;
    std::str::from_utf8(digits.get(..end)?).ok()?.parse().ok()
}

/// Spins between looks at the clock so often: well below a microsecond when compiled with
/// optimisation.
const SPINS: u32 = 256;

extern "C" fn burn(data: *mut c_void) -> c_int {
    let burn = data.cast::<Burn>();
    // SAFETY: the data is alive as long as the launcher, which reads it after this process has
    // ended; calls that cannot fail and so leave the launcher's error number alone.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
        if libc::getppid() != (*burn).launcher
            || ((*burn).enter >= 0 && !child::enter((*burn).enter))
        {
            libc::_exit(1);
        }
        let mut state = 1_u64;
        let stopped = loop {
            let reading = now((*burn).clock);
            if reading >= (*burn).until_ns {
                break reading;
            }
            for _ in 0..SPINS {
                state = std::hint::black_box(state.wrapping_mul(6_364_136_223_846_793_005));
            }
        };
        std::ptr::write_volatile(std::ptr::addr_of_mut!((*burn).stopped_ns), stopped);
        libc::_exit(0)
    }
}
