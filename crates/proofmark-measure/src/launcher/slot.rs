//! What the launcher knows of a run under way. Nothing here allocates, locks or panics.

use std::ffi::c_int;

use super::burner::Burning;
use super::clock;
use super::kernel::cpu_us;
use super::left_behind::{self, Ended, Left};
use crate::accounting::{Known, Reaping};
use crate::cgroup::Entry;
use crate::{Accounting, Tax};

/// A run under way, or room for one.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    /// 0: free.
    pub(super) pid: libc::pid_t,
    pub(super) pidfd: c_int,
    pub(super) group: c_int,
    pub(super) started_ns: u64,
    /// Still to be levied.
    pub(super) tax: Option<Tax>,
    pub(super) entry: Entry,
    /// Whose account of its CPU time is wanted; none where a group accounts for it.
    pub(super) accounting: Option<Accounting>,
    /// Whether its peak memory is wanted.
    pub(super) peak: bool,
    /// The launcher's own peak when it had started the program.
    pub(super) floor_kib: u64,
    /// Its task clock, or the error number with which that was refused.
    pub(super) clock: Result<c_int, c_int>,
    /// Where the kernel asks what becomes of its dead children, or −1.
    pub(super) listener: c_int,
    /// Some process of it has said that the kernel is to reap them.
    pub(super) leaves_children: bool,
    /// Descendants that have come to us and been reaped so far.
    pub(super) left: Left,
    /// CPU time of the group before the program began, where it is accounted for.
    pub(super) group_before_us: Option<u64>,
    /// The program has ended (and is not reaped, so that its numbers stay its own); its tax is
    /// being spent.
    pub(super) burning: Option<Burning>,
}

pub(super) const FREE: Slot = Slot {
    pid: 0,
    pidfd: -1,
    group: -1,
    started_ns: 0,
    tax: None,
    entry: Entry::None,
    accounting: None,
    peak: false,
    floor_kib: 0,
    clock: Err(0),
    listener: -1,
    leaves_children: false,
    left: NOTHING_LEFT,
    group_before_us: None,
    burning: None,
};

pub(super) const NOTHING_LEFT: Left = Left {
    alive: 0,
    strangers: 0,
    cpu_us: 0,
    stray_us: 0,
    peak_kib: 0,
    stray_peak_kib: 0,
};

impl Slot {
    pub(super) fn ended(&self) -> Ended {
        Ended {
            pid: self.pid,
            group: self.group,
        }
    }

    /// What was seen of who reaps its processes, while the program is not reaped yet; looked at
    /// where that decides something.
    pub(super) fn reaping(&self) -> Reaping {
        if self.accounting != Some(Accounting::Watched) && !self.peak {
            Reaping::Unseen
        } else if self.leaves_children || left_behind::ignored_children(self.pid) {
            Reaping::ByTheKernel
        } else if self.listener >= 0 || left_behind::nobody_born_since(self.pid) {
            Reaping::ByParents
        } else {
            Reaping::Unseen
        }
    }

    /// What is known of its CPU time, by what `wait4` says of the program and what came to us.
    pub(super) fn known(&self, usage: &libc::rusage, left: &Left, reaping: Reaping) -> Known {
        Known {
            by: self.accounting.unwrap_or(Accounting::Waited),
            waited_us: cpu_us(usage) + left.cpu_us,
            stray_us: if self.accounting.is_some() {
                left.stray_us
            } else {
                0
            },
            strangers: left.strangers,
            clock: self
                .clock
                .and_then(|clock| clock::read_us(clock).ok_or(libc::EIO)),
            reaping,
        }
    }

    /// Ends its processes, as far as they are known.
    pub(super) fn kill(&self) {
        if self.pid > 0 {
            left_behind::end_group(self.group);
            // SAFETY: a child that has not been reaped, and the group that it leads.
            unsafe {
                libc::kill(-self.pid, libc::SIGKILL);
                libc::kill(self.pid, libc::SIGKILL);
                if let Some(burning) = self.burning {
                    libc::kill(burning.pid, libc::SIGKILL);
                }
            }
        }
    }
}

/// What a program that ended by itself, with whatever status, has used; `None` when a signal ended
/// it. It is not reaped.
pub(super) fn ended_by_itself(pid: libc::pid_t) -> Option<libc::rusage> {
    // SAFETY: all-zero structures are valid, and filled by the call, whose last argument the C
    // library leaves out.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let mut usage: libc::rusage = std::mem::zeroed();
        let result = libc::syscall(
            libc::SYS_waitid,
            libc::P_PID,
            pid,
            std::ptr::from_mut(&mut info),
            libc::WEXITED | libc::WNOWAIT,
            std::ptr::from_mut(&mut usage),
        );
        (result == 0 && info.si_code == libc::CLD_EXITED).then_some(usage)
    }
}
