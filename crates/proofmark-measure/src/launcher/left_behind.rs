//! Processes that outlive the program which started them: found, ended, counted. The launcher is their adoptive parent (PR_SET_CHILD_SUBREAPER).
//!
//! Runs in the launcher: no allocation.

use std::ffi::c_int;

/// The run that has just ended.
pub(super) struct Ended {
    pub(super) pid: libc::pid_t,
    /// The folder of its group, or −1.
    pub(super) group: c_int,
}

/// Ends what `ended` left behind, and says how many processes that were. `others` are the runs still under way: their children, and
/// whatever is in their process group, are let alone. Without cgroups a process that left both its parent and its process group cannot be
/// told to be anybody's: it goes with the last run.
pub(super) fn sweep(ended: &Ended, others: &[libc::pid_t]) -> u32 {
    if others.is_empty() && no_children() {
        return 0;
    }
    let grouped = ended.group >= 0;
    let mut left = if grouped { end_group(ended.group) } else { 0 };
    // Ending a process hands its own children to us: as many times round as there are generations, and a bound for those that fork faster.
    for _ in 0..64 {
        let (found, known) = ours(ended, others, grouped, &mut left);
        if !known {
            // SAFETY: a process group that was ours; reaps children only.
            unsafe {
                libc::kill(-ended.pid, libc::SIGKILL);
                while libc::waitpid(-ended.pid, std::ptr::null_mut(), 0) > 0 {
                    left += 1;
                }
            }
        }
        if found == 0 {
            break;
        }
    }
    left
}

/// One look at our children: those that belong to `ended` are ended and reaped. How many, and whether the kernel lets us look.
fn ours(ended: &Ended, others: &[libc::pid_t], grouped: bool, left: &mut u32) -> (u32, bool) {
    let mut list = [0_u8; 8192];
    let Some(text) = read(libc::AT_FDCWD, c"/proc/thread-self/children", &mut list) else {
        return (0, false);
    };
    let mut found = 0;
    for pid in numbers(text).filter(|pid| !others.contains(pid)) {
        // SAFETY: process numbers of our own children, which stay theirs until we reap them.
        unsafe {
            if libc::waitpid(pid, std::ptr::null_mut(), libc::WNOHANG) == pid {
                continue;
            }
            let process_group = libc::getpgid(pid);
            if process_group == ended.pid || others.is_empty() {
                libc::kill(pid, libc::SIGKILL);
                libc::waitpid(pid, std::ptr::null_mut(), 0);
                found += 1;
                *left += u32::from(!grouped);
            }
        }
    }
    (found, true)
}

/// Ends every process of a group; how many there were.
///
/// Not by `cgroup.kill`: on Linux 6.18 whatever is born by CLONE_INTO_CGROUP in a group where it was ever used gets SIGKILL at once (seen;
/// `cgroup_post_fork` compares `kill_seq`, which seems to be taken from the parent's group). So the group is frozen, that it may not fork
/// meanwhile, each member is ended, and it is let go: what is frozen in the older freezer does not die before.
pub(super) fn end_group(group: c_int) -> u32 {
    let first = end_members(group);
    if first > 0 {
        write(group, c"cgroup.freeze", b"1");
        write(group, c"freezer.state", b"FROZEN");
        // The freezer takes effect while this goes on.
        for _ in 0..1000 {
            if end_members(group) == 0 {
                break;
            }
            // SAFETY: no arguments.
            unsafe { libc::sched_yield() };
        }
        write(group, c"cgroup.freeze", b"0");
        write(group, c"freezer.state", b"THAWED");
    }
    first
}

fn end_members(group: c_int) -> u32 {
    let mut list = [0_u8; 8192];
    let Some(text) = read(group, c"cgroup.procs", &mut list) else {
        return 0;
    };
    let mut count = 0;
    for pid in numbers(text) {
        count += 1;
        // SAFETY: members of a group that this instrument made.
        unsafe { libc::kill(pid, libc::SIGKILL) };
    }
    count
}

/// Whether this process has no child at all, ended or not.
fn no_children() -> bool {
    // SAFETY: an all-zero siginfo is valid; nothing is reaped.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        libc::waitid(libc::P_ALL, 0, &mut info, flags) < 0 && super::child::errno() == libc::ECHILD
    }
}

/// The beginning of a file, as far as the buffer goes.
pub(super) fn read<'a>(
    folder: c_int,
    name: &std::ffi::CStr,
    into: &'a mut [u8],
) -> Option<&'a [u8]> {
    // SAFETY: the buffer is as long as said.
    unsafe {
        let file = libc::openat(folder, name.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        if file < 0 {
            return None;
        }
        let length = libc::read(file, into.as_mut_ptr().cast(), into.len());
        libc::close(file);
        into.get(..usize::try_from(length).ok()?)
    }
}

/// Writes to a file of a group; one that does not exist here is none of ours.
pub(super) fn write(folder: c_int, name: &std::ffi::CStr, text: &[u8]) {
    // SAFETY: the text is as long as said.
    unsafe {
        let file = libc::openat(folder, name.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if file >= 0 {
            libc::write(file, text.as_ptr().cast(), text.len());
            libc::close(file);
        }
    }
}

fn numbers(text: &[u8]) -> impl Iterator<Item = libc::pid_t> {
    text.split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .map(|word| {
            word.iter().fold(0, |number: libc::pid_t, digit| {
                number
                    .wrapping_mul(10)
                    .wrapping_add(libc::pid_t::from(digit.wrapping_sub(b'0')))
            })
        })
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_are_read_with_any_white_space() {
        assert_eq!(
            super::numbers(b"12 345\n6\n").collect::<Vec<_>>(),
            [12, 345, 6]
        );
        assert_eq!(super::numbers(b"").count(), 0);
    }
}
