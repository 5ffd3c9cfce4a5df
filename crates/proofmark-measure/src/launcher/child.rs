//! From the launcher to the measured program: one `clone` that shares memory (nothing is copied), a
//! dozen system calls or two more, exec.
//!
//! Everything here runs either in the launcher, which has no heap any more, or in a child that
//! borrows the launcher's memory: no allocation, no lock, no panic.

use std::ffi::{c_int, c_void};

use super::clock;
use super::heap;
use super::kernel::errno;
use super::listener;
use super::wire::{Area, DESCRIPTORS, Namespaces, Request, STACK_BYTES, Step};
use crate::Accounting;
use crate::cgroup::Entry;

/// Descriptors for one child.
#[derive(Clone, Copy)]
pub(super) struct Descriptors {
    pub(super) stdin: c_int,
    pub(super) stdout: c_int,
    pub(super) stderr: c_int,
    /// The folder of its group, or −1.
    pub(super) group: c_int,
    /// The mount namespace that it sees, or −1.
    pub(super) mounts: c_int,
    /// The user namespace that this belongs to, or −1.
    pub(super) users: c_int,
}

impl Descriptors {
    /// What each of those that came with a command is for.
    pub(super) fn of_command(came: [c_int; DESCRIPTORS], entry: Entry, view: Namespaces) -> Self {
        let [stdin, stdout, stderr, fourth, fifth, sixth] = came;
        let (group, mounts, users) = if entry == Entry::None {
            (-1, fourth, fifth)
        } else {
            (fourth, fifth, sixth)
        };
        let wanted = |wanted: bool, fd: c_int| if wanted { fd } else { -1 };
        Descriptors {
            stdin,
            stdout,
            stderr,
            group,
            mounts: wanted(view != Namespaces::None, mounts),
            users: wanted(view == Namespaces::MountsAndUsers, users),
        }
    }
}

/// A child that became the program.
pub(super) struct Started {
    pub(super) pid: libc::pid_t,
    pub(super) pidfd: c_int,
    /// Its task clock, or the error number with which that was refused.
    pub(super) clock: Result<c_int, c_int>,
    /// Where the kernel asks what becomes of dead children, where that was wanted and could be had.
    pub(super) listener: Option<c_int>,
    /// For so long it was held, as the program, before its first instruction; in nanoseconds.
    pub(super) held_ns: u64,
}

/// In the place of an error number: no task clock was asked for.
const NOT_WANTED: c_int = -1;

/// What a child is sent to do, and what it says of that.
struct Errand {
    request: Request,
    files: Descriptors,
    launcher: libc::pid_t,
    /// Written by the child, read by the launcher after it.
    failed: Option<(Step, c_int)>,
    /// As `failed`: 0 when the task clock was handed over.
    clock_errno: c_int,
    /// As `clock_errno`, of the listener.
    listener_errno: c_int,
}

/// Starts the process that the area asks for, and returns once it is the program (or has failed to
/// become it).
pub(super) fn start(area: *mut Area, files: Descriptors) -> Result<Started, (Step, c_int)> {
    // SAFETY: the area is mapped for as long as the launcher lives, and the client does not write
    // while a request is under way.
    let request = unsafe { (*area).request };
    // SAFETY: no arguments.
    let launcher = unsafe { libc::getpid() };
    let mut errand = Errand {
        request,
        files,
        launcher,
        failed: None,
        clock_errno: NOT_WANTED,
        listener_errno: NOT_WANTED,
    };
    let data = std::ptr::from_mut(&mut errand);
    let birth = Birth {
        // Held until the child no longer uses the errand or the stack.
        flags: libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD,
        // SAFETY: the stack lies in the area, which outlives the child's use of it.
        stack: unsafe { std::ptr::addr_of_mut!((*area).stack) }.cast(),
        stack_bytes: STACK_BYTES,
        body: child,
        data: data.cast(),
    };
    let group = (request.entry == Entry::CloneInto).then_some(files.group);
    let mut pidfd: c_int = -1;
    let pid = clone(&birth, &mut pidfd, group).map_err(|errno| (Step::Clone, errno))?;
    // SAFETY: `errand` is alive; the child wrote to it while this process was held by CLONE_VFORK,
    // so the compiler must read it afresh.
    let (failed, clock_errno, listener_errno) = unsafe {
        (
            std::ptr::read_volatile(std::ptr::addr_of!((*data).failed)),
            std::ptr::read_volatile(std::ptr::addr_of!((*data).clock_errno)),
            std::ptr::read_volatile(std::ptr::addr_of!((*data).listener_errno)),
        )
    };
    let taken = |errno| match errno {
        0 => clock::take().ok_or(libc::EPIPE),
        errno => Err(errno),
    };
    // In the order in which they were sent.
    let clock = taken(clock_errno);
    let listener = taken(listener_errno).ok();
    let moved = match (failed, request.heap) {
        (Some(failure), _) => Err(failure),
        (None, None) => Ok(0),
        (None, Some(by)) => heap::shift(pid, by).map_err(|errno| (Step::Heap, errno)),
    };
    match moved {
        Ok(held_ns) => Ok(Started {
            pid,
            pidfd,
            clock,
            listener,
            held_ns,
        }),
        Err(failure) => {
            // SAFETY: a child of ours that has exited, is about to, or is held; pidfd is ours.
            unsafe {
                libc::kill(pid, libc::SIGKILL);
                libc::waitpid(pid, std::ptr::null_mut(), 0);
                libc::close(pidfd);
                libc::close(clock.unwrap_or(-1));
                libc::close(listener.unwrap_or(-1));
            }
            Err(failure)
        }
    }
}

/// How a process that shares this one's memory is made.
pub(super) struct Birth {
    pub(super) flags: c_int,
    /// Its lowest byte. The process has it to itself.
    pub(super) stack: *mut u8,
    pub(super) stack_bytes: usize,
    /// What it does; must not return.
    pub(super) body: extern "C" fn(*mut c_void) -> c_int,
    /// What `body` is given: alive for as long as the process reads it.
    pub(super) data: *mut c_void,
}

/// Makes a process; with a group (the folder of a cgroup v2), inside it.
pub(super) fn clone(
    birth: &Birth,
    pidfd: &mut c_int,
    group: Option<c_int>,
) -> Result<libc::pid_t, c_int> {
    if let Some(group) = group {
        return clone_into(birth, pidfd, group);
    }
    // SAFETY: the stack grows down from its end, and is the child's alone.
    let pid = unsafe {
        let top = birth.stack.add(birth.stack_bytes).cast::<c_void>();
        libc::clone(
            birth.body,
            top,
            birth.flags | libc::SIGCHLD,
            birth.data,
            std::ptr::from_mut(pidfd),
        )
    };
    if pid < 0 { Err(errno()) } else { Ok(pid) }
}

/// `clone3` with CLONE_INTO_CGROUP, which the C library does not offer: the child is born in its
/// group, instead of being moved there (which takes a lock of the whole system and some
/// milliseconds).
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn clone_into(birth: &Birth, pidfd: &mut c_int, group: c_int) -> Result<libc::pid_t, c_int> {
    // SAFETY: all zeros is a valid `clone_args`.
    let mut arguments: libc::clone_args = unsafe { std::mem::zeroed() };
    let clone_into_cgroup = 0x2_0000_0000_u64;
    arguments.flags = u64::from(birth.flags.cast_unsigned()) | clone_into_cgroup;
    arguments.pidfd = std::ptr::from_mut(pidfd).addr() as u64;
    arguments.exit_signal = u64::from(libc::SIGCHLD.cast_unsigned());
    arguments.stack = birth.stack.addr() as u64;
    arguments.stack_size = birth.stack_bytes as u64;
    arguments.cgroup = u64::from(group.cast_unsigned());
    let size = size_of::<libc::clone_args>();
    let result: i64;
    // SAFETY: the child (result 0) runs on its own stack, calls its body and never comes back; the
    // parent goes on with nothing changed.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "xor ebp, ebp",
            "mov rdi, r12",
            "call r13",
            "ud2",
            "2:",
            inlateout("rax") libc::SYS_clone3 => result,
            in("rdi") std::ptr::from_mut(&mut arguments),
            in("rsi") size,
            in("r12") birth.data,
            in("r13") birth.body,
            lateout("rcx") _,
            lateout("r11") _,
        );
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        std::arch::asm!(
            "svc 0",
            "cbnz x0, 2f",
            "mov x29, xzr",
            "mov x0, x20",
            "blr x21",
            "brk 1",
            "2:",
            in("x8") libc::SYS_clone3,
            inlateout("x0") std::ptr::from_mut(&mut arguments) => result,
            in("x1") size,
            in("x20") birth.data,
            in("x21") birth.body,
        );
    }
    // The kernel's numbers fit an int on every architecture.
    let result = c_int::try_from(result).unwrap_or(-libc::EINVAL);
    if result < 0 { Err(-result) } else { Ok(result) }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn clone_into(_: &Birth, _: &mut c_int, _: c_int) -> Result<libc::pid_t, c_int> {
    Err(libc::ENOSYS)
}

extern "C" fn child(errand: *mut c_void) -> c_int {
    let errand = errand.cast::<Errand>();
    // SAFETY: the launcher waits in CLONE_VFORK, so that the errand is alive and nobody else looks
    // at it.
    unsafe {
        if (*errand)
            .request
            .accounting
            .is_some_and(Accounting::by_clock)
        {
            let errno = clock::hand_over().err().unwrap_or(0);
            std::ptr::write_volatile(std::ptr::addr_of_mut!((*errand).clock_errno), errno);
        }
        let failure = become_program(errand);
        std::ptr::write_volatile(std::ptr::addr_of_mut!((*errand).failed), failure);
        libc::_exit(127)
    }
}

/// Returns only when it failed (or, for a probe, exits).
///
/// # Safety
/// Only in a child; the errand and its request's pointers are valid.
unsafe fn become_program(errand: *mut Errand) -> Option<(Step, c_int)> {
    // SAFETY: system calls with the documented arguments; strings are zero-terminated and alive,
    // and so is the errand.
    unsafe {
        let request = &(*errand).request;
        let (files, launcher) = ((*errand).files, (*errand).launcher);
        // Not a session of its own: the kernel makes a scheduling group for each (autogroup), which
        // takes time in the child.
        if libc::setpgid(0, 0) < 0
            || libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) < 0
        {
            return Some((Step::Session, errno()));
        }
        if libc::getppid() != launcher {
            return Some((Step::Session, libc::ESRCH));
        }
        if request.entry == Entry::WriteSelf && !enter(files.group) {
            return Some((Step::Group, errno()));
        }
        // Possible with the launcher's memory, for the folder is the child's own (no CLONE_FS) and
        // it has one thread. The user namespace comes first: it is what gives the right to enter
        // the other.
        if (files.users >= 0 && libc::setns(files.users, libc::CLONE_NEWUSER) < 0)
            || (files.mounts >= 0 && libc::setns(files.mounts, libc::CLONE_NEWNS) < 0)
        {
            return Some((Step::View, errno()));
        }
        if !request.aslr && libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) < 0 {
            return Some((Step::Session, errno()));
        }
        if libc::chdir(request.cwd) < 0 {
            return Some((Step::Folder, errno()));
        }
        if libc::dup2(files.stdin, 0) < 0
            || libc::dup2(files.stdout, 1) < 0
            || libc::dup2(files.stderr, 2) < 0
        {
            return Some((Step::Descriptors, errno()));
        }
        if request.probe {
            libc::_exit(0);
        }
        if request.heap.is_some() && !heap::hold_at_exec() {
            return Some((Step::Heap, errno()));
        }
        let unclocked =
            request.accounting == Some(Accounting::Watched) && (*errand).clock_errno != 0;
        if unclocked || request.peak {
            let errno = listener::hand_over(request.program).err().unwrap_or(0);
            std::ptr::write_volatile(std::ptr::addr_of_mut!((*errand).listener_errno), errno);
        }
        libc::execve(request.program, request.argv, request.envp);
        Some((Step::Exec, errno()))
    }
}

/// Puts the calling process into a group by writing to it (cgroup v1).
///
/// # Safety
/// Only in a child.
pub(super) unsafe fn enter(group: c_int) -> bool {
    // SAFETY: literals and a descriptor; a failure is seen in the results.
    unsafe {
        let file = libc::openat(
            group,
            c"cgroup.procs".as_ptr(),
            libc::O_WRONLY | libc::O_CLOEXEC,
        );
        file >= 0 && libc::write(file, c"0".as_ptr().cast(), 1) == 1
    }
}
