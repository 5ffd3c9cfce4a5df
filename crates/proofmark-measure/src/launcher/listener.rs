//! What becomes of the dead children of a run's processes, where nothing else tells: the kernel
//! asks the launcher before a process says that it does not want to hear of them (seccomp's
//! notifications).
//!
//! For a run that is watched and that has neither a cgroup nor a task clock. A child whose parent
//! ignores SIGCHLD, or asks for no dead children (`SA_NOCLDWAIT`), is reaped by the kernel and
//! counted by nobody, however deep in the tree that happens. Nobody is refused anything: each call
//! goes on as it was. Runs in the launcher or its child: no allocation.

use std::ffi::{CStr, c_int};

use libc::{BPF_ABS, BPF_JEQ, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W, sock_filter};

use super::clock::GIVE;
use super::kernel::errno;
use super::left_behind::Place;
use super::message;
use super::wire::Command;
use crate::native::NATIVE;

/// `rt_sigaction` of programs with 32-bit pointers on x86-64 (x32).
const X32_SIGACTION: u32 = 0x4000_0200;

/// `signal`, `sigaction` and `rt_sigaction` of 32-bit programs, on x86 and Arm alike.
const OLD_CALLS: [u32; 3] = [48, 67, 174];

/// Where `struct seccomp_data` has the number of the call, the architecture, and the halves of the
/// first two arguments (little-endian).
const NUMBER: u32 = 0;
const ARCH: u32 = 4;
const SIGNAL: u32 = 16;
const ACTION: [u32; 2] = [24, 28];

/// The answer to a question (`SECCOMP_USER_NOTIF_FLAG_CONTINUE`).
const GOES_ON: u32 = 1;

/// First Linux, as major and minor, in which a call may go on after it was asked about.
const SINCE: (u32, u32) = (5, 5);

/// In the child, right before it becomes the program: has the kernel ask, and hands over where it
/// asks. The error number where that cannot be had.
///
/// # Safety
/// Only in a child; the path is zero-terminated.
pub(super) unsafe fn hand_over(program: *const libc::c_char) -> Result<(), c_int> {
    // SAFETY: as the caller promises.
    if !is_recent() || unsafe { has_rights(program) } {
        return Err(libc::EPERM);
    }
    let filter = filter();
    let program = libc::sock_fprog {
        len: u16::try_from(filter.len()).unwrap_or(0),
        filter: filter.as_ptr().cast_mut(),
    };
    // SAFETY: the kernel copies the program, which it does not change.
    let set = || unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
            std::ptr::from_ref(&program),
        )
    };
    let mut listener = set();
    // SAFETY: a setting of this process, without which only root may set a filter.
    if listener < 0 && unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } == 0 {
        listener = set();
    }
    let listener = c_int::try_from(listener).unwrap_or(-1);
    if listener < 0 {
        return Err(errno());
    }
    let command = Command { kind: 0, slot: 0 };
    if message::send(GIVE, &command, &[listener]) {
        Ok(())
    } else {
        Err(libc::EPIPE)
    }
}

/// Whether calls may go on after they were asked about.
fn is_recent() -> bool {
    // SAFETY: all zeros is a valid value, which the call fills.
    let names = unsafe {
        let mut names: libc::utsname = std::mem::zeroed();
        libc::uname(&mut names);
        names
    };
    let mut numbers = [0_u32; 2];
    let mut at = 0;
    // SAFETY: the kernel ends it with a zero.
    for &byte in unsafe { CStr::from_ptr(names.release.as_ptr()) }.to_bytes() {
        match byte {
            digit @ b'0'..=b'9' => {
                numbers[at] = numbers[at]
                    .saturating_mul(10)
                    .saturating_add(u32::from(digit - b'0'));
            }
            b'.' if at == 0 => at = 1,
            _ => break,
        }
    }
    (numbers[0], numbers[1]) >= SINCE
}

/// Whether the program runs with rights of its own, which it would not get under a filter.
///
/// # Safety
/// The path is zero-terminated.
unsafe fn has_rights(program: *const libc::c_char) -> bool {
    // SAFETY: the structure is filled where the call succeeds; nothing is written where no room is
    // given.
    unsafe {
        let mut file: libc::stat = std::mem::zeroed();
        let found = libc::stat(program, &mut file) == 0;
        let named = c"security.capability".as_ptr();
        (found && file.st_mode & (libc::S_ISUID | libc::S_ISGID) != 0)
            || libc::getxattr(program, named, std::ptr::null_mut(), 0) > 0
    }
}

/// Stops at what says what becomes of dead children, and lets all else go on.
fn filter() -> [sock_filter; 24] {
    let native = u32::try_from(libc::SYS_rt_sigaction).unwrap_or(u32::MAX);
    let child = libc::SIGCHLD.unsigned_abs();
    [
        load(ARCH),
        equal(NATIVE, 0, 13),
        load(NUMBER),
        equal(native, 2, 0),
        equal(X32_SIGACTION, 1, 0),
        answer(libc::SECCOMP_RET_ALLOW),
        load(SIGNAL),
        equal(child, 1, 0),
        answer(libc::SECCOMP_RET_ALLOW),
        // A question about what is set has no action.
        load(ACTION[0]),
        equal(0, 0, 3),
        load(ACTION[1]),
        equal(0, 0, 1),
        answer(libc::SECCOMP_RET_ALLOW),
        answer(libc::SECCOMP_RET_USER_NOTIF),
        // Another architecture.
        load(NUMBER),
        equal(OLD_CALLS[0], 3, 0),
        equal(OLD_CALLS[1], 2, 0),
        equal(OLD_CALLS[2], 1, 0),
        answer(libc::SECCOMP_RET_ALLOW),
        load(SIGNAL),
        equal(child, 1, 0),
        answer(libc::SECCOMP_RET_ALLOW),
        answer(libc::SECCOMP_RET_USER_NOTIF),
    ]
}

fn load(from: u32) -> sock_filter {
    statement(BPF_LD | BPF_W | BPF_ABS, from, 0, 0)
}

/// Goes on so many statements further where what was loaded is the number, and where it is not.
fn equal(number: u32, yes: u8, no: u8) -> sock_filter {
    statement(BPF_JMP | BPF_JEQ | BPF_K, number, yes, no)
}

fn answer(what: u32) -> sock_filter {
    statement(BPF_RET | BPF_K, what, 0, 0)
}

fn statement(code: u32, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter {
        // Every code is below 256.
        code: u16::try_from(code).unwrap_or(u16::MAX),
        jt,
        jf,
        k,
    }
}

/// In the launcher: answers one question, which may have been taken back. Whether some process
/// leaves its dead children to the kernel from now on, as far as can be seen; where it cannot be
/// seen, it does.
pub(super) fn hear(listener: c_int) -> bool {
    // SAFETY: all zeros is what the kernel asks for, and a valid answer.
    let (mut asked, mut told): (libc::seccomp_notif, libc::seccomp_notif_resp) =
        unsafe { (std::mem::zeroed(), std::mem::zeroed()) };
    // SAFETY: the structure that the request fills.
    if unsafe { libc::ioctl(listener, libc::SECCOMP_IOCTL_NOTIF_RECV, &mut asked) } < 0 {
        return false;
    }
    let leaves = leaves_children(&asked);
    told.id = asked.id;
    told.flags = GOES_ON;
    // SAFETY: the structure that the request reads. Who asked may have been killed.
    unsafe { libc::ioctl(listener, libc::SECCOMP_IOCTL_NOTIF_SEND, &mut told) };
    leaves
}

/// Whether the action that a process is about to set has its children reaped by the kernel.
fn leaves_children(asked: &libc::seccomp_notif) -> bool {
    let known =
        asked.data.arch == NATIVE && libc::c_long::from(asked.data.nr) == libc::SYS_rt_sigaction;
    let action = known
        .then(|| read_pair(asked.pid.cast_signed(), asked.data.args[1]))
        .flatten();
    let unwanted = u64::from(libc::SA_NOCLDWAIT.unsigned_abs());
    action.is_none_or(|[handler, flags]| handler == libc::SIG_IGN as u64 || flags & unwanted != 0)
}

/// The kernel's structure begins with the handler and the flags.
fn read_pair(pid: libc::pid_t, address: u64) -> Option<[u64; 2]> {
    let place = Place::of(pid, b"/mem")?;
    let mut pair = [0_u64; 2];
    // SAFETY: as many bytes as the pair has.
    let length = unsafe {
        let memory = libc::open(place.name().as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        if memory < 0 {
            return None;
        }
        let length = libc::pread(
            memory,
            pair.as_mut_ptr().cast(),
            size_of_val(&pair),
            address.cast_signed(),
        );
        libc::close(memory);
        length
    };
    (length == size_of_val(&pair).cast_signed()).then_some(pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Carries the filter out, as the kernel would.
    fn answer(arch: u32, number: u32, signal: u32, action: u64) -> u32 {
        let filter = filter();
        let words = [(action & 0xFFFF_FFFF) as u32, (action >> 32) as u32];
        let (mut at, mut loaded) = (0, 0);
        loop {
            let step = &filter[at];
            at += 1;
            match u32::from(step.code) {
                code if code == BPF_RET | BPF_K => return step.k,
                code if code == BPF_LD | BPF_W | BPF_ABS => {
                    loaded = match step.k {
                        NUMBER => number,
                        ARCH => arch,
                        SIGNAL => signal,
                        offset => words[usize::from(offset == ACTION[1])],
                    }
                }
                _ => at += usize::from(if loaded == step.k { step.jt } else { step.jf }),
            }
        }
    }

    #[test]
    fn only_what_sets_the_end_of_children_is_asked_about() {
        let native = u32::try_from(libc::SYS_rt_sigaction).unwrap();
        let child = libc::SIGCHLD.unsigned_abs();
        let asks = libc::SECCOMP_RET_USER_NOTIF;
        for action in [8, 1 << 40] {
            assert_eq!(answer(NATIVE, native, child, action), asks);
            assert_eq!(answer(NATIVE, X32_SIGACTION, child, action), asks);
        }
        for number in OLD_CALLS {
            assert_eq!(answer(0x4000_0003, number, child, 0), asks);
        }
        let goes_on = libc::SECCOMP_RET_ALLOW;
        assert_eq!(answer(NATIVE, native, child, 0), goes_on);
        assert_eq!(answer(NATIVE, native, child + 1, 8), goes_on);
        assert_eq!(answer(NATIVE, native + 1, child, 8), goes_on);
        assert_eq!(answer(0x4000_0003, 175, child, 8), goes_on);
        assert_eq!(answer(0x4000_0003, 174, child + 1, 8), goes_on);
    }

    #[test]
    fn this_kernel_is_recent_or_is_not() {
        let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
        let mut numbers = release.split(|letter: char| !letter.is_ascii_digit());
        let mut next = || {
            numbers
                .next()
                .and_then(|word| word.parse::<u32>().ok())
                .unwrap()
        };
        assert_eq!(is_recent(), (next(), next()) >= SINCE);
    }
}
