//! The launcher: a small process between the instrument and the programs that it measures.
//!
//! Why it exists. (1) The kernel counts the starting process's memory towards the peak of what it starts (`exec_mmap` in fs/exec.c): from a
//! process of 300 MB every program would seem to need 300 MB. The launcher is a fork that has given its memory back. (2) It is the parent,
//! so that orphans come to it and not to a process that has other children. (3) When the instrument dies, of whatever, the launcher sees
//! its socket closed, ends what runs and removes the groups. (4) It sits on the measured core: a child starts where it is to run.
//!
//! After the fork nothing here allocates, locks or panics.

use std::ffi::c_int;

use super::child::{self, Descriptors};
use super::left_behind::{self, Ended};
use super::wire::{Area, Command, Report, SLOTS, Step};

/// Fixed descriptors of the launcher.
const SOCKET: c_int = 3;
const GROUPS: c_int = 4;
const GROUPS_PARENT: c_int = 5;

#[derive(Clone, Copy)]
struct Slot {
    /// 0: free.
    pid: libc::pid_t,
    pidfd: c_int,
    group: c_int,
    started_ns: u64,
}

struct Launcher {
    area: *mut Area,
    slots: [Slot; SLOTS],
    core: c_int,
    anywhere: libc::cpu_set_t,
}

/// What the launcher needs of the process that it was forked from.
pub(super) struct Inherited {
    pub(super) area: *mut Area,
    pub(super) socket: c_int,
    /// The folder that holds the groups, and its parent; −1 without.
    pub(super) groups: c_int,
    pub(super) groups_parent: c_int,
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
    let free = Slot {
        pid: 0,
        pidfd: -1,
        group: -1,
        started_ns: 0,
    };
    let mut launcher = Launcher {
        area: inherited.area,
        slots: [free; SLOTS],
        core: -1,
        anywhere,
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

/// Makes the fork a process of its own: descriptors, signals, session, memory.
fn settle(inherited: &Inherited) {
    // SAFETY: system calls on our own descriptors and settings; failures leave the launcher less tidy, not wrong.
    unsafe {
        let high = |fd: c_int| {
            if fd < 0 {
                -1
            } else {
                libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 64)
            }
        };
        let (socket, groups, parent) = (
            high(inherited.socket),
            high(inherited.groups),
            high(inherited.groups_parent),
        );
        let null = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC);
        for standard in 0..3 {
            libc::dup2(null, standard);
        }
        for (from, to) in [(socket, SOCKET), (groups, GROUPS), (parent, GROUPS_PARENT)] {
            if from >= 0 {
                libc::dup3(from, to, libc::O_CLOEXEC);
            } else {
                libc::close(to);
            }
        }
        if libc::syscall(libc::SYS_close_range, GROUPS_PARENT + 1, c_int::MAX, 0) < 0 {
            for fd in GROUPS_PARENT + 1..4096 {
                libc::close(fd);
            }
        }
        for signal in 1..=64 {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
        libc::setsid();
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        libc::prctl(libc::PR_SET_NAME, c"proofmark-run".as_ptr(), 0, 0, 0);
        // The default of Linux; a child inherits it.
        libc::prctl(libc::PR_SET_TIMERSLACK, 50_000, 0, 0, 0);
        super::memory::give_back();
    }
}

impl Launcher {
    /// Waits for one thing to happen and deals with it. False when the instrument has gone.
    fn step(&mut self) -> bool {
        let mut watched = [libc::pollfd {
            fd: -1,
            events: libc::POLLIN,
            revents: 0,
        }; SLOTS + 1];
        watched[SLOTS].fd = SOCKET;
        for (entry, slot) in watched.iter_mut().zip(&self.slots) {
            entry.fd = slot.pidfd;
        }
        // SAFETY: the array is as long as said. Negative descriptors are passed over.
        unsafe { libc::poll(watched.as_mut_ptr(), watched.len() as libc::nfds_t, -1) };
        for (number, entry) in watched.iter().take(SLOTS).enumerate() {
            if entry.revents != 0 {
                self.ended(number);
            }
        }
        watched[SLOTS].revents == 0 || self.obey()
    }

    fn ended(&mut self, number: usize) {
        let ended_ns = now();
        let Some(slot) = self.slots.get_mut(number) else {
            return;
        };
        let (mut status, pid, group) = (0, slot.pid, slot.group);
        // SAFETY: an all-zero rusage is valid; the child is ours and has ended.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::wait4(pid, &mut status, 0, &mut usage);
            libc::close(slot.pidfd);
            usage
        };
        let wall_ns = ended_ns - slot.started_ns;
        (slot.pid, slot.pidfd, slot.group) = (0, -1, -1);
        let detail = self.sweep(pid, group);
        let micros = |time: libc::timeval| {
            time.tv_sec.cast_unsigned() * 1_000_000 + time.tv_usec.cast_unsigned()
        };
        self.report(&Report {
            kind: Report::ENDED,
            slot: u32::try_from(number).unwrap_or(u32::MAX),
            number: status,
            detail,
            cpu_us: micros(usage.ru_utime) + micros(usage.ru_stime),
            peak_kib: usage.ru_maxrss.cast_unsigned(),
            waits: usage.ru_nvcsw.cast_unsigned(),
            wall_ns,
        });
        if group >= 0 {
            // SAFETY: ours, and no longer used.
            unsafe { libc::close(group) };
        }
    }

    fn sweep(&self, pid: libc::pid_t, group: c_int) -> u32 {
        let mut others = [0; SLOTS];
        let mut count = 0;
        for slot in self.slots.iter().filter(|slot| slot.pid > 0) {
            others[count] = slot.pid;
            count += 1;
        }
        left_behind::sweep(&Ended { pid, group }, &others[..count])
    }

    /// Carries out one command. False when there will be no more.
    fn obey(&mut self) -> bool {
        let mut command = Command { kind: 0, slot: 0 };
        let mut descriptors = [-1; 4];
        if !super::message::receive(SOCKET, &mut command, &mut descriptors) {
            return false;
        }
        let number = command.slot as usize;
        let Some(slot) = self.slots.get(number).copied() else {
            return false;
        };
        match command.kind {
            Command::SPAWN => self.spawn(number, descriptors),
            Command::KILL => kill(&slot),
            _ => return false,
        }
        true
    }

    fn spawn(&mut self, number: usize, descriptors: [c_int; 4]) {
        let [stdin, stdout, stderr, group] = descriptors;
        let started_ns = now();
        let slot = u32::try_from(number).unwrap_or(u32::MAX);
        let result = self.move_to_core().and_then(|()| {
            child::start(
                self.area,
                Descriptors {
                    stdin,
                    stdout,
                    stderr,
                    group,
                },
            )
        });
        for fd in [stdin, stdout, stderr] {
            // SAFETY: received a moment ago; the child has its own.
            unsafe { libc::close(fd) };
        }
        match result {
            Ok(started) => {
                if let Some(entry) = self.slots.get_mut(number) {
                    *entry = Slot {
                        pid: started.pid,
                        pidfd: started.pidfd,
                        group,
                        started_ns,
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
            return Err((Step::Core, child::errno()));
        }
        self.core = core;
        Ok(())
    }

    fn report(&self, report: &Report) {
        // SAFETY: a plain structure, as long as said. When nobody listens any more, the next poll says so.
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
        for slot in self.slots.iter().filter(|slot| slot.pid > 0) {
            kill(slot);
        }
        for number in 0..SLOTS {
            if self.slots[number].pid > 0 {
                self.ended(number);
            }
        }
        // SAFETY: the area is mapped; descriptors that are not open make the calls fail, which is fine.
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

fn kill(slot: &Slot) {
    if slot.pid > 0 {
        left_behind::end_group(slot.group);
        // SAFETY: a child that has not been reaped, and the group that it leads.
        unsafe {
            libc::kill(-slot.pid, libc::SIGKILL);
            libc::kill(slot.pid, libc::SIGKILL);
        }
    }
}

fn now() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: fills the structure.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}
