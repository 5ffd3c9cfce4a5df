//! The fork becomes a process of its own. Nothing here allocates, locks or panics.

use std::ffi::c_int;

use super::clock;
use super::kernel::AWAY;
use super::wire::Area;

/// Fixed descriptors of the launcher.
pub(super) const SOCKET: c_int = 3;
pub(super) const GROUPS: c_int = 4;
pub(super) const GROUPS_PARENT: c_int = 5;

/// What the launcher needs of the process that it was forked from.
pub(super) struct Inherited {
    pub(super) area: *mut Area,
    pub(super) socket: c_int,
    /// The folder that holds the groups, and its parent; −1 without.
    pub(super) groups: c_int,
    pub(super) groups_parent: c_int,
}

/// Makes the fork a process of its own: descriptors, signals, session, memory.
pub(super) fn settle(inherited: &Inherited) {
    // SAFETY: system calls on our own descriptors and settings; failures leave the launcher less
    // tidy, not wrong.
    unsafe {
        let high = |fd: c_int| {
            if fd < 0 {
                -1
            } else {
                libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, AWAY)
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
        clock::make_ends();
        if libc::syscall(libc::SYS_close_range, clock::TAKE + 1, c_int::MAX, 0) < 0 {
            for fd in clock::TAKE + 1..4096 {
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
