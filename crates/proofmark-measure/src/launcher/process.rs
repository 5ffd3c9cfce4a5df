//! The launcher: a small process between the instrument and the programs that it measures.
//!
//! Why it exists. (1) The kernel counts the starting process's memory towards the peak of what it
//! starts (`exec_mmap` in fs/exec.c): from a process of 300 MB every program would seem to need 300
//! MB. The launcher is a fork that has given its memory back. (2) It is the parent, so that orphans
//! come to it and not to a process that has other children. (3) When the instrument dies, of
//! whatever, the launcher sees its socket closed, ends what runs and removes the groups. (4) It
//! sits on the measured core: a child starts where it is to run.
//!
//! After the fork nothing here allocates, locks or panics.

use std::ffi::c_int;

use super::burner::{self, Afters, Place};
use super::child::{self, Descriptors};
use super::kernel::{self, errno};
use super::left_behind;
use super::listener;
use super::settle::{GROUPS, GROUPS_PARENT, Inherited, SOCKET, settle};
use super::slot::{FREE, NOTHING_LEFT, Slot, ended_by_itself};
use super::watched::{Watched, Word};
use super::wire::{Area, Command, DESCRIPTORS, Report, SLOTS, Step};
use crate::TaxedClock;
use crate::accounting::Reaping;

struct Launcher {
    area: *mut Area,
    slots: [Slot; SLOTS],
    core: c_int,
    anywhere: libc::cpu_set_t,
    afters: Afters,
}

/// The life of the launcher, in the forked child.
pub(super) fn live(inherited: &Inherited) -> ! {
    settle(inherited);
    // SAFETY: an all-zero set is valid; the call fills it.
    let anywhere = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set);
        set
    };
    let mut launcher = Launcher {
        area: inherited.area,
        slots: [FREE; SLOTS],
        core: -1,
        anywhere,
        afters: Afters::default(),
    };
    launcher.report(&Report {
        kind: Report::SPAWNED,
        ..Report::default()
    });
    while launcher.step() {}
    launcher.end_everything();
    // SAFETY: leaves without running what the parent registered for its own exit.
    unsafe { libc::_exit(0) }
}

impl Launcher {
    /// Waits for one thing to happen and deals with it. False when the instrument has gone.
    fn step(&mut self) -> bool {
        let mut watched = Watched::new();
        for (number, slot) in self.slots.iter().enumerate() {
            watched.add(slot.pidfd, Word::Ended(number));
            watched.add(slot.listener, Word::Question(number));
        }
        watched.add(SOCKET, Word::Command);
        if !watched.wait() {
            return false;
        }
        // Questions first: what a process said before its end counts.
        for word in watched.heard() {
            if let Word::Question(number) = word {
                let slot = &mut self.slots[number];
                slot.leaves_children |= listener::hear(slot.listener);
            }
        }
        let mut commanded = false;
        for word in watched.heard() {
            match word {
                Word::Ended(number) => self.ended(number),
                Word::Command => commanded = true,
                Word::Question(_) => {}
            }
        }
        !commanded || self.obey()
    }

    /// The program of a slot has ended, or the tax on it has been spent.
    fn ended(&mut self, number: usize) {
        let ended_ns = now();
        let Some(slot) = self.slots.get(number).copied() else {
            return;
        };
        if self.levy(number, &slot, ended_ns) {
            return;
        }
        let tax_us = slot.burning.as_ref().and_then(|burning| {
            let spent = burner::reap(burning);
            if let Some(spent) = spent {
                self.afters
                    .learn(self.area, number, burning, spent, ended_ns);
            }
            spent
        });
        let reaping = slot.reaping();
        let mut status = 0;
        // SAFETY: an all-zero rusage is valid; the child is ours and has ended.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::wait4(slot.pid, &mut status, 0, &mut usage);
            if slot.burning.is_none() {
                libc::close(slot.pidfd);
            }
            usage
        };
        self.slots[number] = FREE;
        let mut left = slot.left;
        let (others, count) = self.others(number);
        left_behind::sweep(&slot.ended(), &others[..count], &mut left);
        let (spent_us, accounted) = slot.known(&usage, &left, reaping).settle();
        let peak_kib = usage.ru_maxrss.cast_unsigned().max(left.peak_kib);
        let unseen = reaping != Reaping::ByParents || left.stray_peak_kib > peak_kib;
        self.report(&Report {
            kind: Report::ENDED,
            slot: u32::try_from(number).unwrap_or(u32::MAX),
            number: status,
            detail: left.alive,
            cpu_us: spent_us + tax_us.unwrap_or(0),
            accounted,
            peak_kib,
            floor_kib: slot.floor_kib,
            peak_short: u32::from(slot.peak && unseen),
            waits: usage.ru_nvcsw.cast_unsigned(),
            wall_ns: ended_ns - slot.started_ns,
            taxed: u32::from(tax_us.is_some()),
            tax_us: tax_us.unwrap_or(0),
        });
        for ours in [slot.group, slot.clock.unwrap_or(-1), slot.listener] {
            // SAFETY: ours, and no longer used. Closing −1 does nothing.
            unsafe { libc::close(ours) };
        }
    }

    /// Begins to spend the tax on a program that has ended by itself. False when there is none, or
    /// it cannot be spent.
    fn levy(&mut self, number: usize, slot: &Slot, ended_ns: u64) -> bool {
        let Some(tax) = slot.tax else {
            return false;
        };
        self.slots[number].tax = None;
        let Some(usage) = ended_by_itself(slot.pid) else {
            return false;
        };
        let spent_ns = match tax.clock() {
            TaxedClock::Wall => ended_ns - slot.started_ns,
            TaxedClock::Cpu => {
                let of_the_group = slot.group_before_us.and_then(|before| {
                    burner::group_cpu_us(slot.group).map(|now| now.saturating_sub(before))
                });
                of_the_group.unwrap_or_else(|| self.spent_us(number, &usage)) * 1000
            }
        };
        let after_ns = self.afters.of(self.area, tax.clock());
        let place = Place {
            slot: number,
            entry: slot.entry,
            group: slot.group,
        };
        let Ok(burning) = burner::levy(self.area, place, tax, spent_ns, ended_ns, after_ns) else {
            return false;
        };
        // SAFETY: both are children of ours that have not been reaped. What is held and ended by
        // process group holds and ends it as well; refused when the program began a session of its
        // own.
        unsafe {
            libc::setpgid(burning.pid, slot.pid);
            libc::close(slot.pidfd);
        }
        self.slots[number].pidfd = burning.pidfd;
        self.slots[number].burning = Some(burning);
        true
    }

    /// CPU time of a program that has ended and is not reaped yet, in microseconds, as it will be
    /// accounted for.
    fn spent_us(&mut self, number: usize, usage: &libc::rusage) -> u64 {
        let (others, count) = self.others(number);
        let slot = &mut self.slots[number];
        let mut left = slot.left;
        if slot.accounting.is_some() {
            left_behind::reap(&slot.ended(), &others[..count], &mut left);
        }
        slot.left = left;
        let reaping = slot.reaping();
        slot.known(usage, &left, reaping).settle().0
    }

    /// The processes of the other runs under way, and how many those are.
    fn others(&self, number: usize) -> ([libc::pid_t; 2 * SLOTS], usize) {
        let mut others = [0; 2 * SLOTS];
        let mut count = 0;
        let busy = self.slots.iter().enumerate();
        for (_, slot) in busy.filter(|(other, slot)| *other != number && slot.pid > 0) {
            let burner = slot.burning.map(|burning| burning.pid);
            for pid in [Some(slot.pid), burner].into_iter().flatten() {
                others[count] = pid;
                count += 1;
            }
        }
        (others, count)
    }

    /// Carries out one command. False when there will be no more.
    fn obey(&mut self) -> bool {
        let mut command = Command { kind: 0, slot: 0 };
        let mut descriptors = [-1; DESCRIPTORS];
        if !super::message::receive(SOCKET, &mut command, &mut descriptors) {
            return false;
        }
        let number = command.slot as usize;
        let Some(slot) = self.slots.get(number).copied() else {
            return false;
        };
        match command.kind {
            Command::SPAWN => self.spawn(number, descriptors),
            Command::KILL => slot.kill(),
            _ => return false,
        }
        true
    }

    fn spawn(&mut self, number: usize, descriptors: [c_int; DESCRIPTORS]) {
        // SAFETY: the area is mapped and quiet while a request is under way.
        let request = unsafe { (*self.area).request };
        let (tax, born, view) = (request.tax, request.entry, request.view);
        let files = Descriptors::of_command(descriptors, born, view);
        let group = files.group;
        // Asked for now, so that nothing is learned between a program's end and its tax.
        let group_before_us = tax.and_then(|tax| {
            self.afters.of(self.area, tax.clock());
            burner::group_cpu_us(group)
        });
        let started_ns = now();
        let slot = u32::try_from(number).unwrap_or(u32::MAX);
        let result = self
            .move_to_core()
            .and_then(|()| child::start(self.area, files));
        for fd in [
            files.stdin,
            files.stdout,
            files.stderr,
            files.mounts,
            files.users,
        ] {
            // SAFETY: received a moment ago, or −1; the child has its own.
            unsafe { libc::close(fd) };
        }
        match result {
            Ok(started) => {
                if let Some(entry) = self.slots.get_mut(number) {
                    *entry = Slot {
                        pid: started.pid,
                        pidfd: started.pidfd,
                        group,
                        started_ns: started_ns + started.held_ns,
                        tax,
                        entry: born,
                        accounting: request.accounting,
                        peak: request.peak,
                        floor_kib: own_peak_kib(),
                        clock: started.clock,
                        listener: started.listener.unwrap_or(-1),
                        leaves_children: false,
                        left: NOTHING_LEFT,
                        group_before_us,
                        burning: None,
                    };
                }
                self.report(&Report {
                    kind: Report::SPAWNED,
                    slot,
                    number: started.pid,
                    ..Report::default()
                });
            }
            Err((step, errno)) => {
                // SAFETY: received a moment ago. Closing −1 does nothing.
                unsafe { libc::close(group) };
                self.report(&Report {
                    kind: Report::FAILED,
                    slot,
                    number: errno,
                    detail: step.number(),
                    ..Report::default()
                });
            }
        }
    }

    /// A child inherits the launcher's place.
    fn move_to_core(&mut self) -> Result<(), (Step, c_int)> {
        // SAFETY: the area is mapped and quiet while a request is under way.
        let core = unsafe { (*self.area).request.core };
        if core == self.core {
            return Ok(());
        }
        let mut set = self.anywhere;
        // SAFETY: a plain bit set; a core beyond it is refused by the kernel as an empty set.
        let moved = unsafe {
            if let Ok(core) = usize::try_from(core) {
                libc::CPU_ZERO(&mut set);
                if core < 8 * size_of::<libc::cpu_set_t>() {
                    libc::CPU_SET(core, &mut set);
                }
            }
            libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set)
        };
        if moved < 0 {
            return Err((Step::Core, errno()));
        }
        self.core = core;
        Ok(())
    }

    fn report(&self, report: &Report) {
        // SAFETY: a plain structure, as long as said. When nobody listens any more, the next poll
        // says so.
        unsafe {
            libc::send(
                SOCKET,
                std::ptr::from_ref(report).cast(),
                size_of::<Report>(),
                libc::MSG_NOSIGNAL,
            )
        };
    }

    /// The instrument has gone: nothing that it started may stay.
    fn end_everything(&mut self) {
        for slot in self.slots.iter_mut().filter(|slot| slot.pid > 0) {
            slot.tax = None;
            slot.kill();
        }
        for number in 0..SLOTS {
            if self.slots[number].pid > 0 {
                self.ended(number);
            }
        }
        // SAFETY: the area is mapped; descriptors that are not open make the calls fail, which is
        // fine.
        unsafe {
            if (*self.area).group_name[0] == 0 {
                return;
            }
            for number in 0..SLOTS {
                let digit = |number: usize| b"0123456789"[number % 10];
                let name = [digit(number / 10), digit(number), 0];
                libc::unlinkat(GROUPS, name.as_ptr().cast(), libc::AT_REMOVEDIR);
            }
            libc::unlinkat(
                GROUPS_PARENT,
                std::ptr::addr_of!((*self.area).group_name).cast(),
                libc::AT_REMOVEDIR,
            );
        }
    }
}

/// The largest that this process has been since it gave its memory back, in KiB.
fn own_peak_kib() -> u64 {
    // SAFETY: an all-zero rusage is valid; the call fills it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    usage.ru_maxrss.cast_unsigned()
}

fn now() -> u64 {
    kernel::now(libc::CLOCK_MONOTONIC)
}
