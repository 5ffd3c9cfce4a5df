//! Starting a program so that it is traced from its first instruction.
//!
//! A fork that waits until it has a tracer, puts the filter on itself, and becomes the program. It
//! gets what the launcher gives a measured program: signals, descriptors, folder, core, addresses.

use std::ffi::{CStr, c_char, c_int};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use libc::{pid_t, sock_filter};
use rustix::process::{PidfdFlags, pidfd_open};

use super::{Untraceable, ptrace};
use crate::launcher::{Checked, Step};
use crate::{Launch, MeasureError};

/// Descriptors of the program.
pub(super) struct Streams<'a> {
    pub(super) stdin: &'a File,
    pub(super) stdout: &'a File,
    pub(super) stderr: &'a File,
}

/// A process that has a tracer and is on its way to become the program.
pub(super) struct Started {
    pub(super) pid: pid_t,
    report: OwnedFd,
}

/// What the process says of itself before it becomes the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Report {
    /// The filter holds.
    Filtered,
    /// There is no filter to be had here: every call is to be looked at.
    Unfiltered,
    /// It could not become the program.
    Failed(Step, i32),
    /// It said nothing: it was ended before.
    Nothing,
}

/// Words of the report: what it is, the step that failed, the error's number.
type Words = [i32; 3];
const FILTERED: i32 = 1;
const UNFILTERED: i32 = 2;
const FAILED: i32 = 3;

/// Everything that the process needs; made before the fork, because a fork of a process with
/// threads may not allocate.
struct Prepared<'a> {
    program: &'a CStr,
    cwd: &'a CStr,
    argv: Vec<*const c_char>,
    envp: Vec<*const c_char>,
    streams: [c_int; 3],
    /// Namespaces of its view: of mounts, and of users; −1 where there is none.
    view: [c_int; 2],
    go: c_int,
    report: c_int,
    parent: pid_t,
    cores: Option<libc::cpu_set_t>,
    aslr: bool,
    manners: Manners,
    filter: &'a [sock_filter],
}

/// What a started process has in common with this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manners {
    /// A measured program's: a process group, signals and descriptors of its own.
    Apart,
    /// A command's in a shell: those of this process.
    Inherited,
}

/// Starts the program under the calling thread as its tracer. The descriptor is of the process.
pub(super) fn start(
    launch: &Launch,
    checked: &Checked,
    streams: &Streams<'_>,
    manners: Manners,
    filter: &[sock_filter],
) -> Result<(Started, OwnedFd), Untraceable> {
    let (go, let_go) = pipe()?;
    let (report, to_report) = pipe()?;
    let words = checked.words();
    let prepared = Prepared {
        program: words.program,
        cwd: words.cwd,
        argv: words.argv,
        envp: words.envp,
        streams: [streams.stdin, streams.stdout, streams.stderr].map(File::as_raw_fd),
        view: checked.view(),
        go: go.as_raw_fd(),
        report: to_report.as_raw_fd(),
        // SAFETY: no arguments.
        parent: unsafe { libc::getpid() },
        cores: launch.core.map(only).transpose()?,
        aslr: launch.aslr,
        manners,
        filter,
    };
    // SAFETY: the child only makes system calls, and never returns.
    let pid = unsafe { libc::fork() };
    match pid {
        ..0 => {
            Err(MeasureError::system("cannot create a process")(io::Error::last_os_error()).into())
        }
        0 => become_program(&prepared),
        _ => match adopt(pid) {
            Ok(process) => {
                // Should it have been killed meanwhile, nobody reads, and its end is what comes
                // next.
                let _ = rustix::io::write(&let_go, &[1]);
                Ok((Started { pid, report }, process))
            }
            Err(reason) => {
                end(pid);
                Err(reason)
            }
        },
    }
}

/// Makes the calling thread the tracer of a child; a descriptor by which others can end it.
fn adopt(pid: pid_t) -> Result<OwnedFd, Untraceable> {
    ptrace::seize(pid).map_err(|error| refused(pid, error))?;
    let process = rustix::process::Pid::from_raw(pid)
        .ok_or(rustix::io::Errno::SRCH)
        .and_then(|pid| pidfd_open(pid, PidfdFlags::empty()));
    process.map_err(|errno| MeasureError::system("cannot open a process")(errno.into()).into())
}

impl Started {
    /// What the process has said so far.
    pub(super) fn report(&self) -> Report {
        let mut bytes = [0_u8; size_of::<Words>()];
        // The pipe does not hold anybody up: a report is written before anything can be heard of
        // it.
        if rustix::io::read(&self.report, &mut bytes) != Ok(bytes.len()) {
            return Report::Nothing;
        }
        let word = |at: usize| {
            let bytes = bytes
                .get(at * 4..at * 4 + 4)
                .and_then(|four| four.try_into().ok());
            i32::from_ne_bytes(bytes.unwrap_or_default())
        };
        match word(0) {
            FILTERED => Report::Filtered,
            UNFILTERED => Report::Unfiltered,
            _ => {
                let known = |step: &Step| step.number().cast_signed() == word(1);
                let step = Step::ALL.into_iter().find(known).unwrap_or(Step::Message);
                Report::Failed(step, word(2))
            }
        }
    }
}

/// Why nobody may trace a process of ours.
fn refused(pid: pid_t, error: io::Error) -> Untraceable {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let tracer = status
        .lines()
        .find_map(|line| line.strip_prefix("TracerPid:")?.trim().parse::<i32>().ok())
        .unwrap_or(0);
    if tracer > 0 {
        Untraceable::AlreadyTraced { tracer }
    } else {
        Untraceable::Forbidden(error)
    }
}

/// Ends and reaps a process that is of no use.
fn end(pid: pid_t) {
    // SAFETY: our own child, not reaped yet.
    unsafe {
        libc::kill(pid, libc::SIGKILL);
        libc::waitpid(pid, std::ptr::null_mut(), libc::__WALL);
    }
}

/// A pipe that ends with exec and holds up no reader.
fn pipe() -> Result<(OwnedFd, OwnedFd), MeasureError> {
    let mut ends = [-1; 2];
    // SAFETY: fills both numbers, which are nobody else's.
    let made = unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) };
    if made < 0 {
        return Err(MeasureError::system("cannot make a pipe")(
            io::Error::last_os_error(),
        ));
    }
    // SAFETY: just made.
    Ok(unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) })
}

/// The set of one core.
fn only(core: u32) -> Result<libc::cpu_set_t, MeasureError> {
    // SAFETY: an all-zero set is valid.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    match usize::try_from(core) {
        Ok(at) if at < libc::CPU_SETSIZE.cast_unsigned() as usize => {
            // SAFETY: below the size of the set.
            unsafe { libc::CPU_SET(at, &mut set) };
            Ok(set)
        }
        _ => Err(MeasureError::Core {
            core,
            source: io::Error::from_raw_os_error(libc::EINVAL),
        }),
    }
}

/// The life of the child until it is the program.
fn become_program(prepared: &Prepared<'_>) -> ! {
    // SAFETY: system calls only, with descriptors and strings that the fork has copies of.
    unsafe {
        let (step, errno) = prepare(prepared);
        report(prepared, [FAILED, step.number().cast_signed(), errno]);
        libc::_exit(127)
    }
}

/// Returns only when it failed.
///
/// # Safety
/// Only in the child of a fork.
unsafe fn prepare(prepared: &Prepared<'_>) -> (Step, c_int) {
    // SAFETY: as the caller promises; its strings are zero-terminated, its lists end with
    // null.
    unsafe {
        let apart = prepared.manners == Manners::Apart;
        if apart {
            tidy();
        } else {
            // Rust's runtime has changed it for this process alone.
            libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        }
        if (apart && libc::setpgid(0, 0) < 0)
            || libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) < 0
        {
            return (Step::Session, errno());
        }
        if libc::getppid() != prepared.parent {
            return (Step::Session, libc::ESRCH);
        }
        let mut go = 0_u8;
        while libc::read(prepared.go, std::ptr::from_mut(&mut go).cast(), 1) != 1 {
            if errno() != libc::EINTR {
                return (Step::Session, libc::ESRCH);
            }
        }
        if let Some(cores) = &prepared.cores
            && libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), cores) < 0
        {
            return (Step::Core, errno());
        }
        if !prepared.aslr && libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) < 0 {
            return (Step::Session, errno());
        }
        let [mounts, users] = prepared.view;
        if (users >= 0 && libc::setns(users, libc::CLONE_NEWUSER) < 0)
            || (mounts >= 0 && libc::setns(mounts, libc::CLONE_NEWNS) < 0)
        {
            return (Step::View, errno());
        }
        if libc::chdir(prepared.cwd.as_ptr()) < 0 {
            return (Step::Folder, errno());
        }
        for (standard, &file) in (0..).zip(&prepared.streams) {
            if libc::dup2(file, standard) < 0 {
                return (Step::Descriptors, errno());
            }
        }
        let filtered = filter_self(prepared.filter);
        report(
            prepared,
            [if filtered { FILTERED } else { UNFILTERED }, 0, 0],
        );
        libc::execve(
            prepared.program.as_ptr(),
            prepared.argv.as_ptr(),
            prepared.envp.as_ptr(),
        );
        (Step::Exec, errno())
    }
}

/// Signals and descriptors as a program expects them, whatever this process did with its own.
///
/// # Safety
/// Only in the child of a fork.
unsafe fn tidy() {
    // SAFETY: settings of this process alone. What cannot be set stays as it is.
    unsafe {
        for signal in 1..=64 {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
        let (first, last) = (3, c_int::MAX);
        libc::syscall(
            libc::SYS_close_range,
            first,
            last,
            libc::CLOSE_RANGE_CLOEXEC,
        );
    }
}

/// Puts the filter on the calling thread. Without root it may do so only when it gives up to gain
/// rights by exec, which is why programs with rights of their own are refused.
///
/// # Safety
/// Only in the child of a fork.
unsafe fn filter_self(filter: &[sock_filter]) -> bool {
    let program = libc::sock_fprog {
        len: u16::try_from(filter.len()).unwrap_or(0),
        filter: filter.as_ptr().cast_mut(),
    };
    // SAFETY: the kernel copies the program, which it does not change.
    let set = || unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            0,
            std::ptr::from_ref(&program),
        ) == 0
    };
    // SAFETY: numbers only.
    set() || (unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } == 0 && set())
}

/// # Safety
/// Only in the child of a fork.
unsafe fn report(prepared: &Prepared<'_>, words: Words) {
    // SAFETY: as many bytes as the array has. A reader that is gone does not matter any more.
    unsafe { libc::write(prepared.report, words.as_ptr().cast(), size_of::<Words>()) };
}

fn errno() -> c_int {
    // SAFETY: the address of this thread's error number is always valid.
    unsafe { *libc::__errno_location() }
}
