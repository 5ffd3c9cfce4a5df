//! The kernel's task clock of a whole run: an event that each process inherits from the one that
//! starts it, whoever reaps it.
//!
//! The program's own process opens it before exec (one that the launcher opened would be inherited
//! by all later runs) and hands it to the launcher. Counting needs no rights at
//! `perf_event_paranoid` 2, if the kernel is left out; this clock counts the kernel's time all the
//! same (seen: `dd bs=1`, 90 % of it in the kernel, Linux 6.18). Runs in the launcher or its child:
//! no allocation.

use std::ffi::{c_int, c_ulong};

use perf_event_open_sys::bindings::{
    PERF_COUNT_SW_TASK_CLOCK, PERF_FLAG_FD_CLOEXEC, PERF_TYPE_SOFTWARE, perf_event_attr,
};

use super::kernel::{AWAY, errno};
use super::message;
use super::wire::{Command, DESCRIPTORS};

/// Fixed descriptors: where a child sends its clock or its listener, and where the launcher takes
/// it.
pub(super) const GIVE: c_int = 6;
pub(super) const TAKE: c_int = 7;

/// Makes the two ends.
pub(super) fn make_ends() {
    let mut ends = [-1; 2];
    // SAFETY: descriptors of our own; where it fails, clocks are refused one by one.
    unsafe {
        let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC;
        if libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) == 0 {
            for (from, to) in ends.into_iter().zip([GIVE, TAKE]) {
                let high = libc::fcntl(from, libc::F_DUPFD_CLOEXEC, AWAY);
                libc::close(from);
                libc::dup3(high, to, libc::O_CLOEXEC);
                libc::close(high);
            }
        }
    }
}

/// In the child: opens the clock, which runs from now on, and hands it over. The error number when
/// it cannot be had.
pub(super) fn hand_over() -> Result<(), c_int> {
    let mut wanted = perf_event_attr::default();
    wanted.type_ = PERF_TYPE_SOFTWARE;
    wanted.size = u32::try_from(size_of::<perf_event_attr>()).unwrap_or(0);
    wanted.config = u64::from(PERF_COUNT_SW_TASK_CLOCK);
    wanted.set_inherit(1);
    wanted.set_exclude_kernel(1);
    wanted.set_exclude_hv(1);
    // SAFETY: a valid description of its own size; the calling process, any core, no group of
    // events.
    let clock = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            std::ptr::from_ref(&wanted),
            0,
            -1,
            -1,
            c_ulong::from(PERF_FLAG_FD_CLOEXEC),
        )
    };
    let clock = c_int::try_from(clock).unwrap_or(-1);
    if clock < 0 {
        return Err(errno());
    }
    let command = Command { kind: 0, slot: 0 };
    if message::send(GIVE, &command, &[clock]) {
        Ok(())
    } else {
        Err(libc::EPIPE)
    }
}

/// In the launcher: takes what a child has sent.
pub(super) fn take() -> Option<c_int> {
    let mut command = Command { kind: 0, slot: 0 };
    let mut descriptors = [-1; DESCRIPTORS];
    let received = message::receive(TAKE, &mut command, &mut descriptors);
    (received && descriptors[0] >= 0).then_some(descriptors[0])
}

/// What the clock shows, in microseconds.
pub(super) fn read_us(clock: c_int) -> Option<u64> {
    let mut nanoseconds = 0_u64;
    // SAFETY: as long as said.
    let length = unsafe {
        libc::read(
            clock,
            std::ptr::from_mut(&mut nanoseconds).cast(),
            size_of::<u64>(),
        )
    };
    (length == size_of::<u64>().cast_signed()).then_some(nanoseconds / 1000)
}
