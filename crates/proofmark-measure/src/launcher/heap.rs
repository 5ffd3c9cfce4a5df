//! Where the heap of a program begins. The kernel has it begin at a page, so that what a program
//! allocates first lies at one place within its page in all runs. The launcher moves the break once
//! the program is loaded and before its first instruction: it has the program call `brk` by an
//! instruction of the vDSO, and lets it go.
//!
//! Nothing here allocates, locks or panics.

use std::ffi::c_int;

use super::kernel::{errno, now};
use super::wire::HeapShift;

/// In a child, shortly before exec: the launcher is told when it is the program, and holds it. False
/// when the kernel refuses.
pub(super) fn hold_at_exec() -> bool {
    // SAFETY: the request takes no memory.
    unsafe { libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) == 0 }
}

/// In the launcher: moves the break of a child that is held at its exec, and lets it go. How long it
/// was held for that, in nanoseconds; or the error number, and then it is held still, or has ended.
pub(super) fn shift(pid: libc::pid_t, by: HeapShift) -> Result<u64, c_int> {
    let Some(mut signal) = stopped(pid)? else {
        // Somebody has killed it: its end is heard as that of any other.
        return Ok(0);
    };
    let since_ns = now(libc::CLOCK_MONOTONIC);
    if !arch::shift(pid, by, &mut signal)? {
        return Ok(0);
    }
    // Another signal was sent by somebody, and is still to be delivered.
    let signal = if signal == libc::SIGTRAP { 0 } else { signal };
    // SAFETY: the request takes no memory; the child is held.
    if unsafe { libc::ptrace(libc::PTRACE_DETACH, pid, 0, signal) } < 0 {
        return Err(errno());
    }
    Ok(now(libc::CLOCK_MONOTONIC) - since_ns)
}

/// Waits until a child stops; the signal that stopped it. `None` when it has ended, which is left
/// to be heard.
fn stopped(pid: libc::pid_t) -> Result<Option<c_int>, c_int> {
    loop {
        // SAFETY: all zeros is a valid value, which the call fills; the child is ours.
        let (result, info) = unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let child = pid.unsigned_abs();
            // A stop that is not taken is over when the child is let go.
            let what = libc::WSTOPPED | libc::WEXITED | libc::WNOWAIT;
            let result = libc::waitid(libc::P_PID, child, &mut info, what);
            (result, info)
        };
        let has_stopped = [libc::CLD_TRAPPED, libc::CLD_STOPPED].contains(&info.si_code);
        match (result, errno()) {
            (..0, libc::EINTR) => {}
            (..0, errno) => return Err(errno),
            // SAFETY: what a wait has filled has a status.
            _ if has_stopped => return Ok(Some(unsafe { info.si_status() })),
            _ => return Ok(None),
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod arch {
    use std::ffi::c_int;

    use super::super::kernel::errno;
    use super::super::left_behind::{Place, read};
    use super::super::wire::HeapShift;
    use super::stopped;

    /// The code segment of 64-bit programs (`__USER_CS`).
    const LONG_MODE: u64 = 0x33;

    /// Moves the break of a held child. False when it has ended meanwhile. `signal` is the one that
    /// it was stopped by last, SIGTRAP aside.
    pub(super) fn shift(
        pid: libc::pid_t,
        by: HeapShift,
        signal: &mut c_int,
    ) -> Result<bool, c_int> {
        let began = registers(pid)?;
        if began.cs != LONG_MODE {
            return Err(libc::ENOEXEC);
        }
        let call = vdso(pid)? + by.call;
        let mut at = began;
        at.rip = call;
        let Some(start) = brk(pid, at, 0, signal)? else {
            return Ok(false);
        };
        let wanted = start + by.bytes;
        match brk(pid, at, wanted, signal)? {
            None => return Ok(false),
            Some(end) if end != wanted => return Err(libc::ENOMEM),
            Some(_) => {}
        }
        set(pid, &began)?;
        Ok(true)
    }

    /// Has the child call `brk` by one instruction; what the kernel answered, or `None` when the
    /// child has ended.
    fn brk(
        pid: libc::pid_t,
        mut at: libc::user_regs_struct,
        end: u64,
        signal: &mut c_int,
    ) -> Result<Option<u64>, c_int> {
        at.rax = libc::SYS_brk.cast_unsigned();
        at.rdi = end;
        // It is in no call that could be begun again.
        at.orig_rax = u64::MAX;
        loop {
            set(pid, &at)?;
            // SAFETY: the request takes no memory; the child is held.
            if unsafe { libc::ptrace(libc::PTRACE_SINGLESTEP, pid, 0, 0) } < 0 {
                return Err(errno());
            }
            let Some(by) = stopped(pid)? else {
                return Ok(None);
            };
            let now = registers(pid)?;
            if now.rip != at.rip {
                return Ok(Some(now.rax));
            }
            // A signal came before the instruction: kept for later.
            *signal = by;
        }
    }

    fn registers(pid: libc::pid_t) -> Result<libc::user_regs_struct, c_int> {
        // SAFETY: all zeros is a valid value, which the request fills.
        unsafe {
            let mut all: libc::user_regs_struct = std::mem::zeroed();
            let into = std::ptr::from_mut(&mut all);
            match libc::ptrace(libc::PTRACE_GETREGS, pid, 0, into) {
                0 => Ok(all),
                _ => Err(errno()),
            }
        }
    }

    fn set(pid: libc::pid_t, all: &libc::user_regs_struct) -> Result<(), c_int> {
        // SAFETY: the structure that the request reads.
        match unsafe { libc::ptrace(libc::PTRACE_SETREGS, pid, 0, std::ptr::from_ref(all)) } {
            0 => Ok(()),
            _ => Err(errno()),
        }
    }

    /// Where the vDSO of a process begins, by its auxiliary vector.
    fn vdso(pid: libc::pid_t) -> Result<u64, c_int> {
        let mut text = [0; 1024];
        let vector = Place::of(pid, b"/auxv").and_then(|place| {
            let read = read(libc::AT_FDCWD, place.name(), &mut text)?;
            Some(read.as_chunks::<16>().0)
        });
        let number = |bytes: &[u8]| {
            let bytes = bytes.first_chunk::<8>();
            bytes.map_or(0, |bytes| u64::from_ne_bytes(*bytes))
        };
        let entries = vector.unwrap_or_default().iter();
        let mut found = entries.filter(|entry| number(&entry[..8]) == libc::AT_SYSINFO_EHDR);
        found
            .next()
            .map(|entry| number(&entry[8..]))
            .ok_or(libc::ENOSYS)
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod arch {
    use std::ffi::c_int;

    use super::super::wire::HeapShift;

    /// No request for it is made here: [`super::super::vdso::system_call`] refuses.
    pub(super) fn shift(_: libc::pid_t, _: HeapShift, _: &mut c_int) -> Result<bool, c_int> {
        Err(libc::ENOSYS)
    }
}
