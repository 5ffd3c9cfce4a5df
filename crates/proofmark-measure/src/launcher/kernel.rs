//! What the kernel tells, asked without an allocation or a lock: in the launcher, and in children
//! that share its memory.

use std::ffi::c_int;

/// Descriptors from here on are none of the fixed ones; few, for the user may have limited their
/// number.
pub(super) const AWAY: c_int = 16;

/// The number of the last error.
pub(super) fn errno() -> c_int {
    // SAFETY: the address of this thread's error number is always valid.
    unsafe { *libc::__errno_location() }
}

/// User and system time together, in microseconds.
pub(super) fn cpu_us(usage: &libc::rusage) -> u64 {
    let micros = |time: libc::timeval| {
        time.tv_sec.cast_unsigned() * 1_000_000 + time.tv_usec.cast_unsigned()
    };
    micros(usage.ru_utime) + micros(usage.ru_stime)
}

/// A clock's reading in nanoseconds.
pub(super) fn now(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: fills the structure.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}
