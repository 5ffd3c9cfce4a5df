//! The few requests of ptrace that a tracer makes, and its wait.
//!
//! Not through a wrapper crate: those give signals as a closed list, and fail where a traced
//! program gets a real-time signal.

use std::ffi::c_uint;
use std::io;

use libc::pid_t;

/// Why a traced thread stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// It is gone, with this status of `wait`.
    Gone(i32),
    /// At a system call: before it or after it.
    Call,
    /// It has made a process or a thread.
    Birth,
    /// It has become another program.
    Exec,
    /// It is about to end, and what the kernel knows of it can still be read.
    Ending,
    /// A signal is about to be delivered.
    Signal(i32),
    /// It is stopped as a shell stops a job, until somebody lets it go on.
    Stopped,
    /// Nothing that matters: it has just been born, or was let go on.
    Nothing,
}

/// How a stopped thread goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Go {
    /// To the next event or filtered call.
    On,
    /// To the next system call, or the end of this one.
    ToCall,
}

/// A system call as the kernel tells of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// Before it. `filtered` when the filter stopped it.
    Before {
        arch: u32,
        number: u64,
        args: [u64; 6],
        filtered: bool,
    },
    /// After it: the result, or the negative of the error's number.
    After(i64),
    /// Neither: it is being ended.
    None,
}

const OPTIONS: i32 = libc::PTRACE_O_TRACESYSGOOD
    | libc::PTRACE_O_TRACEFORK
    | libc::PTRACE_O_TRACEVFORK
    | libc::PTRACE_O_TRACECLONE
    | libc::PTRACE_O_TRACEEXEC
    | libc::PTRACE_O_TRACEEXIT
    | libc::PTRACE_O_TRACESECCOMP
    | libc::PTRACE_O_EXITKILL;

/// What the event of a stop by the kernel is called (`PTRACE_EVENT_STOP`).
const EVENT_STOP: i32 = 128;

/// Makes the calling thread the tracer of a process, and of all that it starts.
pub(super) fn seize(pid: pid_t) -> io::Result<()> {
    request(libc::PTRACE_SEIZE, pid, 0, OPTIONS as usize).map(drop)
}

/// Lets a stopped thread go on, with a signal delivered if not 0.
pub(super) fn go(pid: pid_t, how: Go, signal: i32) {
    let how = match how {
        Go::On => libc::PTRACE_CONT,
        Go::ToCall => libc::PTRACE_SYSCALL,
    };
    // It may have been killed while it was stopped: then its end is what comes next.
    let _ = request(how, pid, 0, usize::try_from(signal).unwrap_or(0));
}

/// Leaves a thread stopped, and hears when it goes on.
pub(super) fn leave_stopped(pid: pid_t) {
    // As with `go`.
    let _ = request(libc::PTRACE_LISTEN, pid, 0, 0);
}

/// The number that goes with an event: the thread that was born, or the former number at an exec.
pub(super) fn message(pid: pid_t) -> Option<pid_t> {
    let mut number: libc::c_ulong = 0;
    let place = std::ptr::from_mut(&mut number).expose_provenance();
    request(libc::PTRACE_GETEVENTMSG, pid, 0, place).ok()?;
    pid_t::try_from(number).ok()
}

/// Whether the signal that is about to be delivered was sent by a timer: one of POSIX, or the
/// interval timer of real time.
pub(super) fn sent_by_timer(pid: pid_t) -> bool {
    about_signal(pid).is_some_and(|info| {
        info.si_code == libc::SI_TIMER
            || (info.si_code == libc::SI_KERNEL && info.si_signo == libc::SIGALRM)
    })
}

/// Whether the signal that is about to be delivered was sent by a trap in the code, and not by a
/// process.
pub(super) fn sent_by_trap(pid: pid_t) -> bool {
    about_signal(pid).is_some_and(|info| info.si_signo == libc::SIGTRAP && info.si_code > 0)
}

/// The signal that is about to be delivered.
fn about_signal(pid: pid_t) -> Option<libc::siginfo_t> {
    // SAFETY: all zeros is a valid value, which the kernel fills.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let place = std::ptr::from_mut(&mut info).expose_provenance();
    request(libc::PTRACE_GETSIGINFO, pid, 0, place).ok()?;
    Some(info)
}

/// The call at which a thread has stopped. An error of kind `Unsupported` when the kernel is too
/// old.
pub(super) fn call(pid: pid_t) -> io::Result<Call> {
    // SAFETY: all zeros is a valid value.
    let mut info: libc::ptrace_syscall_info = unsafe { std::mem::zeroed() };
    let place = std::ptr::from_mut(&mut info).expose_provenance();
    let size = size_of::<libc::ptrace_syscall_info>();
    match request(libc::PTRACE_GET_SYSCALL_INFO, pid, size, place) {
        Ok(_) => {}
        Err(error) if error.raw_os_error() == Some(libc::ESRCH) => return Ok(Call::None),
        Err(_) => return Err(io::ErrorKind::Unsupported.into()),
    }
    // SAFETY: `op` says which member of the union was written.
    Ok(unsafe {
        match info.op {
            libc::PTRACE_SYSCALL_INFO_ENTRY => Call::Before {
                arch: info.arch,
                number: info.u.entry.nr,
                args: info.u.entry.args,
                filtered: false,
            },
            libc::PTRACE_SYSCALL_INFO_SECCOMP => Call::Before {
                arch: info.arch,
                number: info.u.seccomp.nr,
                args: info.u.seccomp.args,
                filtered: true,
            },
            libc::PTRACE_SYSCALL_INFO_EXIT => Call::After(info.u.exit.sval),
            _ => Call::None,
        }
    })
}

/// Gives the call at whose end a thread has stopped another result. Where that fails, it has its
/// own.
pub(super) fn put_result(pid: pid_t, result: i64) {
    // SAFETY: all zeros is a valid value, which the kernel fills.
    let mut registers: libc::user_regs_struct = unsafe { std::mem::zeroed() };
    let mut room = libc::iovec {
        iov_base: std::ptr::from_mut(&mut registers).cast(),
        iov_len: size_of::<libc::user_regs_struct>(),
    };
    let place = std::ptr::from_mut(&mut room).expose_provenance();
    let kind = usize::try_from(libc::NT_PRSTATUS).unwrap_or(0);
    if request(libc::PTRACE_GETREGSET, pid, kind, place).is_ok() {
        #[cfg(target_arch = "x86_64")]
        let register = &mut registers.rax;
        #[cfg(target_arch = "aarch64")]
        let register = &mut registers.regs[0];
        *register = result.cast_unsigned();
        let _ = request(libc::PTRACE_SETREGSET, pid, kind, place);
    }
}

fn request(what: c_uint, pid: pid_t, address: usize, data: usize) -> io::Result<i64> {
    // SAFETY: the callers pass what the request asks for; memory that is written to is theirs.
    let result = unsafe { libc::ptrace(what, pid, address, data) };
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

/// Waits for the next thread that stops or ends. `None` when there is none left, or with `at_once`
/// when none is waiting to be heard.
pub(super) fn wait(at_once: bool) -> io::Result<Option<(pid_t, Why)>> {
    // Not for children of other threads: those are not ours.
    let options = libc::__WALL | libc::__WNOTHREAD | if at_once { libc::WNOHANG } else { 0 };
    loop {
        let mut status = 0;
        // SAFETY: fills the status.
        let pid = unsafe { libc::waitpid(-1, &mut status, options) };
        if pid > 0 {
            return Ok(Some((pid, why(status))));
        }
        if pid == 0 {
            return Ok(None);
        }
        match io::Error::last_os_error() {
            error if error.raw_os_error() == Some(libc::EINTR) => {}
            error if error.raw_os_error() == Some(libc::ECHILD) => return Ok(None),
            error => return Err(error),
        }
    }
}

fn why(status: i32) -> Why {
    if !libc::WIFSTOPPED(status) {
        return Why::Gone(status);
    }
    let signal = libc::WSTOPSIG(status);
    match status >> 16 {
        0 if signal == libc::SIGTRAP | 0x80 => Why::Call,
        0 => Why::Signal(signal),
        libc::PTRACE_EVENT_SECCOMP => Why::Call,
        libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_VFORK | libc::PTRACE_EVENT_CLONE => Why::Birth,
        libc::PTRACE_EVENT_EXEC => Why::Exec,
        libc::PTRACE_EVENT_EXIT => Why::Ending,
        EVENT_STOP if signal != libc::SIGTRAP => Why::Stopped,
        _ => Why::Nothing,
    }
}
