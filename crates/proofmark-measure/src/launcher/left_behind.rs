//! Processes that outlive the program which started them: found, ended, counted. The launcher is
//! their adoptive parent (PR_SET_CHILD_SUBREAPER).
//!
//! Runs in the launcher: no allocation.

use std::ffi::{CStr, c_int};

use super::kernel::{cpu_us, errno, now};

/// The run that has just ended.
pub(super) struct Ended {
    pub(super) pid: libc::pid_t,
    /// The folder of its group, or −1.
    pub(super) group: c_int,
}

/// What came to us of a run's descendants.
#[derive(Clone, Copy, Default)]
pub(super) struct Left {
    /// Still alive at the program's end, and ended.
    pub(super) alive: u32,
    /// Had ended by themselves, in a process group of their own.
    pub(super) strangers: u32,
    /// CPU time of all that had ended by themselves, in microseconds.
    pub(super) cpu_us: u64,
    /// CPU time of processes that left their process group and may be another run's, in
    /// microseconds.
    pub(super) stray_us: u64,
    /// Peak memory of the largest that had ended by itself, in KiB.
    pub(super) peak_kib: u64,
    /// The same of those that may be another run's.
    pub(super) stray_peak_kib: u64,
}

impl Left {
    /// A process of ours that has ended: what it used is the run's, or perhaps another's.
    fn reaped(&mut self, usage: &libc::rusage, mine: bool, stranger: bool) {
        let peak_kib = usage.ru_maxrss.cast_unsigned();
        if mine {
            self.strangers += u32::from(stranger);
            self.cpu_us += cpu_us(usage);
            self.peak_kib = self.peak_kib.max(peak_kib);
        } else {
            self.stray_us += cpu_us(usage);
            self.stray_peak_kib = self.stray_peak_kib.max(peak_kib);
        }
    }
}

/// What is about to end has so long, in nanoseconds: who has said its last word to the program is
/// not quite dead yet, and on a busy machine for some time.
const GRACE_NS: u64 = 100_000_000;

/// How often it is looked whether it has ended.
const GLANCE: libc::timespec = libc::timespec {
    tv_sec: 0,
    tv_nsec: 500_000,
};

/// Reaps what came to us from `ended`, gives the rest a moment to end by itself, ends what goes on,
/// and says what that was. `others` are the runs still under way: their children, and whatever is
/// in their process group, are let alone. Without cgroups a living process that left both its
/// parent and its process group cannot be told to be anybody's: it goes with the last run.
pub(super) fn sweep(ended: &Ended, others: &[libc::pid_t], left: &mut Left) {
    if others.is_empty() && no_children() {
        return;
    }
    let until = now(libc::CLOCK_MONOTONIC) + GRACE_NS;
    while let Some(living) = living(ended, others, left) {
        if living == 0 {
            return;
        }
        if now(libc::CLOCK_MONOTONIC) > until {
            break;
        }
        // SAFETY: a pause of the length said.
        unsafe { libc::nanosleep(&GLANCE, std::ptr::null_mut()) };
    }
    let grouped = ended.group >= 0;
    if grouped {
        left.alive += end_group(ended.group);
    }
    // Ending a process hands its own children to us: as many times round as there are generations,
    // and a bound for those that fork faster.
    for _ in 0..64 {
        match ours(ended, others, Some(grouped), left) {
            None => {
                by_process_group(ended, left);
                break;
            }
            Some(Found { dealt: 0, .. }) => break,
            Some(_) => {}
        }
    }
}

/// Reaps the descendants that have come to us and ended, while the program itself is not reaped
/// yet. What lives goes on.
pub(super) fn reap(program: &Ended, others: &[libc::pid_t], left: &mut Left) {
    while ours(program, others, None, left).is_some_and(|found| found.dealt > 0) {}
}

/// How many processes of a run go on, once those that have ended are reaped; `None` when the kernel
/// does not let us look.
fn living(ended: &Ended, others: &[libc::pid_t], left: &mut Left) -> Option<u32> {
    loop {
        let found = ours(ended, others, None, left)?;
        if found.dealt == 0 {
            // A member of the group need not be a child of ours.
            return Some(found.living.max(members(ended.group)));
        }
    }
}

/// What one look at our children came to.
#[derive(Clone, Copy)]
struct Found {
    /// Reaped or ended.
    dealt: u32,
    /// Of the program, and alive still.
    living: u32,
}

/// One look at our children. Those that have ended are reaped; those of `program` that live are
/// ended as well where `end` says whether they are in a group of their own. `None` when the kernel
/// does not let us look.
fn ours(
    program: &Ended,
    others: &[libc::pid_t],
    end: Option<bool>,
    left: &mut Left,
) -> Option<Found> {
    let mut list = [0_u8; 8192];
    let text = read(libc::AT_FDCWD, c"/proc/thread-self/children", &mut list)?;
    let mut found = Found {
        dealt: 0,
        living: 0,
    };
    for pid in numbers(text) {
        if others.contains(&pid) || (pid == program.pid && end.is_none()) {
            continue;
        }
        // SAFETY: process numbers of our own children, which stay theirs until we reap them.
        unsafe {
            let group = libc::getpgid(pid);
            if group != program.pid && others.contains(&group) {
                continue;
            }
            let mine = group == program.pid || others.is_empty();
            let mut usage: libc::rusage = std::mem::zeroed();
            let waited = libc::wait4(
                pid,
                std::ptr::null_mut(),
                libc::WNOHANG | libc::__WALL,
                &mut usage,
            );
            match end {
                _ if waited == pid => {
                    left.reaped(&usage, mine, group != program.pid);
                    found.dealt += 1;
                }
                Some(grouped) if waited == 0 && mine => {
                    libc::kill(pid, libc::SIGKILL);
                    libc::waitpid(pid, std::ptr::null_mut(), libc::__WALL);
                    found.dealt += 1;
                    left.alive += u32::from(!grouped);
                }
                None if waited == 0 && mine => found.living += 1,
                _ => {}
            }
        }
    }
    Some(found)
}

/// Where children cannot be listed: what is in the process group that was the run's.
fn by_process_group(ended: &Ended, left: &mut Left) {
    // SAFETY: a process group that was ours; reaps children only.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        while libc::wait4(-ended.pid, std::ptr::null_mut(), libc::WNOHANG, &mut usage) > 0 {
            left.reaped(&usage, true, false);
        }
        libc::kill(-ended.pid, libc::SIGKILL);
        while libc::waitpid(-ended.pid, std::ptr::null_mut(), 0) > 0 {
            left.alive += 1;
        }
    }
}

/// Ends every process of a group; how many there were.
///
/// Not by `cgroup.kill`: on Linux 6.18 whatever is born by CLONE_INTO_CGROUP in a group where it
/// was ever used gets SIGKILL at once (seen; `cgroup_post_fork` compares `kill_seq`, which seems to
/// be taken from the parent's group). So the group is frozen, that it may not fork meanwhile, each
/// member is ended, and it is let go: what is frozen in the older freezer does not die before.
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

/// How many processes are in a group; none where there is none.
fn members(group: c_int) -> u32 {
    let mut list = [0_u8; 8192];
    let text = read(group, c"cgroup.procs", &mut list).filter(|_| group >= 0);
    text.map_or(0, |text| {
        u32::try_from(numbers(text).count()).unwrap_or(u32::MAX)
    })
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
        libc::waitid(libc::P_ALL, 0, &mut info, flags) < 0 && errno() == libc::ECHILD
    }
}

/// Whether a program that has ended, and is not reaped, ignored SIGCHLD: then the kernel reaps its
/// children, and nobody hears of them.
pub(super) fn ignored_children(pid: libc::pid_t) -> bool {
    let mut text = [0; 4096];
    let status = Place::of(pid, b"/status");
    status.is_some_and(|path| {
        read(libc::AT_FDCWD, path.name(), &mut text).is_some_and(ignores_children)
    })
}

/// Whether no process and no thread was born since this one, anywhere on the machine: then it had
/// no children.
pub(super) fn nobody_born_since(pid: libc::pid_t) -> bool {
    let mut text = [0; 128];
    let last = read(libc::AT_FDCWD, c"/proc/loadavg", &mut text)
        .and_then(|text| numbers(text.rsplit(|&byte| byte == b' ').next()?).next());
    last == Some(pid)
}

/// A file of a process in `/proc`, made without allocation.
pub(super) struct Place([u8; 32]);

impl Place {
    /// `file` begins with a slash. `None` when it is too long.
    pub(super) fn of(pid: libc::pid_t, file: &[u8]) -> Option<Place> {
        let mut digits = [0; 10];
        let mut first = digits.len();
        let mut rest = pid.unsigned_abs();
        while rest > 0 || first == digits.len() {
            first -= 1;
            digits[first] = b"0123456789"[(rest % 10) as usize];
            rest /= 10;
        }
        let mut place = [0; 32];
        let mut end = 0;
        for part in [b"/proc/".as_slice(), &digits[first..], file] {
            place.get_mut(end..end + part.len())?.copy_from_slice(part);
            end += part.len();
        }
        // Zero-terminated.
        (end < place.len()).then_some(Place(place))
    }

    pub(super) fn name(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.0).unwrap_or(c"")
    }
}

/// Whether the text of `/proc/…/status` has SIGCHLD among the ignored signals.
fn ignores_children(status: &[u8]) -> bool {
    let mut lines = status.split(|&byte| byte == b'\n');
    let Some(mask) = lines.find_map(|line| line.strip_prefix(b"SigIgn:")) else {
        return false;
    };
    // The fifth digit from the right: signals 17 to 20, of which SIGCHLD is the first.
    let digit = mask.iter().rev().nth(4).copied().unwrap_or(b'0');
    char::from(digit)
        .to_digit(16)
        .is_some_and(|bits| bits & 1 == 1)
}

/// The beginning of a file, as far as the buffer goes.
pub(super) fn read<'a>(folder: c_int, name: &CStr, into: &'a mut [u8]) -> Option<&'a [u8]> {
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
pub(super) fn write(folder: c_int, name: &CStr, text: &[u8]) {
    // SAFETY: the text is as long as said.
    unsafe {
        let file = libc::openat(folder, name.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if file >= 0 {
            libc::write(file, text.as_ptr().cast(), text.len());
            libc::close(file);
        }
    }
}

/// The numbers of a text. One that no white space follows may go on behind the end of the buffer:
/// half a process number is another's.
fn numbers(text: &[u8]) -> impl Iterator<Item = libc::pid_t> {
    let whole = text.iter().rposition(u8::is_ascii_whitespace).unwrap_or(0);
    text[..whole]
        .split(u8::is_ascii_whitespace)
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

    #[test]
    fn half_a_number_is_none() {
        assert_eq!(super::numbers(b"12 345 6").collect::<Vec<_>>(), [12, 345]);
        assert_eq!(super::numbers(b"12").count(), 0);
    }

    #[test]
    fn an_ignored_sigchld_is_seen() {
        let status =
            |mask: &str| format!("SigBlk:\t0000000000010000\nSigIgn:\t{mask}\nSigCgt:\t0\n");
        for (mask, ignored) in [
            ("0000000000010000", true),
            ("0000000000391000", true),
            ("0000000000001006", false),
            ("0000000000380000", false),
        ] {
            assert_eq!(
                super::ignores_children(status(mask).as_bytes()),
                ignored,
                "{mask}"
            );
        }
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(!super::ignored_children(own));
    }

    #[test]
    fn a_place_in_proc_is_written_as_the_kernel_takes_it() {
        let place = |pid, file: &[u8]| super::Place::of(pid, file);
        let named = |pid| place(pid, b"/status").map(|place| place.name().to_owned());
        assert_eq!(named(7), Some(c"/proc/7/status".to_owned()));
        assert_eq!(named(4_194_304), Some(c"/proc/4194304/status".to_owned()));
        assert_eq!(named(0), Some(c"/proc/0/status".to_owned()));
        assert!(place(1, &[b'x'; 30]).is_none());
    }
}
