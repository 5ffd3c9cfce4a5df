//! The system calls that tell something of a program: what each tells, by its number.

use libc::c_long;

use super::found::{Change, WaitKind};
use super::tells::{Clock, Keyed, Length, Tells, at, here, wait, wait_of};

/// Calls of every architecture.
const CALLS: &[(c_long, Tells)] = &[
    (libc::SYS_openat, Tells::Open(at(0))),
    (libc::SYS_openat2, Tells::OpenHow(at(0))),
    (libc::SYS_newfstatat, Tells::Look(at(0))),
    (libc::SYS_statx, Tells::Look(at(0))),
    (libc::SYS_faccessat, Tells::Look(at(0))),
    (libc::SYS_faccessat2, Tells::Look(at(0))),
    (libc::SYS_readlinkat, Tells::Look(at(0))),
    (libc::SYS_chdir, Tells::Look(here(0))),
    (libc::SYS_statfs, Tells::Look(here(0))),
    (libc::SYS_name_to_handle_at, Tells::Look(at(0))),
    (libc::SYS_unlinkat, Tells::Changed(at(0), Change::Removed)),
    (libc::SYS_mkdirat, Tells::Changed(at(0), Change::Created)),
    (libc::SYS_mknodat, Tells::Changed(at(0), Change::Created)),
    (libc::SYS_symlinkat, Tells::Changed(at(1), Change::Created)),
    (
        libc::SYS_linkat,
        Tells::Linked {
            from: at(0),
            to: at(2),
        },
    ),
    (libc::SYS_truncate, Tells::Changed(here(0), Change::Written)),
    (libc::SYS_renameat, RENAME_AT),
    (
        libc::SYS_renameat2,
        Tells::Renamed {
            from: at(0),
            to: at(2),
            flags: Some(4),
        },
    ),
    (libc::SYS_bind, Tells::Bind),
    (libc::SYS_connect, Tells::Connect),
    (libc::SYS_getdents64, Tells::List),
    (libc::SYS_mmap, Tells::Map),
    (libc::SYS_nanosleep, Tells::Sleep),
    (libc::SYS_clock_nanosleep, Tells::ClockSleep),
    (
        libc::SYS_ppoll,
        wait_of(WaitKind::Poll, Length::Timespec(2), 1),
    ),
    (
        libc::SYS_pselect6,
        wait_of(WaitKind::Select, Length::Timespec(4), 0),
    ),
    (
        libc::SYS_epoll_pwait,
        wait(WaitKind::Epoll, Length::Millis(3)),
    ),
    (
        libc::SYS_epoll_pwait2,
        wait(WaitKind::Epoll, Length::Timespec(3)),
    ),
    (
        libc::SYS_rt_sigtimedwait,
        wait(WaitKind::Message, Length::Timespec(2)),
    ),
    (
        libc::SYS_semtimedop,
        wait(WaitKind::Message, Length::Timespec(3)),
    ),
    (
        libc::SYS_recvmmsg,
        wait(WaitKind::Message, Length::Timespec(4)),
    ),
    (
        libc::SYS_io_getevents,
        wait(WaitKind::Message, Length::Timespec(4)),
    ),
    (libc::SYS_mq_timedsend, MESSAGE_QUEUE),
    (libc::SYS_mq_timedreceive, MESSAGE_QUEUE),
    (libc::SYS_futex, Tells::Futex),
    (
        libc::SYS_futex_waitv,
        wait(
            WaitKind::Lock,
            Length::Until {
                at: 3,
                clock: Clock::Argument(4),
            },
        ),
    ),
    (libc::SYS_setsockopt, Tells::SocketOption),
    (libc::SYS_setitimer, Tells::SetTimer),
    (libc::SYS_timer_create, Tells::MakeTimer),
    (libc::SYS_timer_settime, Tells::SetPosixTimer),
    (libc::SYS_timerfd_create, Tells::MakeTimerFile),
    (libc::SYS_timerfd_settime, Tells::SetTimerFile),
    (libc::SYS_wait4, Tells::WaitChild),
    (libc::SYS_waitid, Tells::WaitId),
    (libc::SYS_rt_sigaction, Tells::SignalAction),
    (libc::SYS_sched_getaffinity, Tells::AskCores),
    (libc::SYS_sched_setaffinity, Tells::SetCores),
    (libc::SYS_io_uring_setup, Tells::Ring),
    (libc::SYS_open_by_handle_at, Tells::ByHandle),
    (libc::SYS_seccomp, Tells::Filter),
    (libc::SYS_unshare, Tells::Unshare),
    (libc::SYS_shmget, Tells::ByKey(Keyed::Memory)),
    (libc::SYS_semget, Tells::ByKey(Keyed::Semaphores)),
    (libc::SYS_msgget, Tells::ByKey(Keyed::Messages)),
    (libc::SYS_mq_open, Tells::OpenQueue),
    (libc::SYS_add_key, Tells::AddKey),
    (libc::SYS_fchmodat, Tells::About(at(0))),
    (libc::SYS_fchownat, Tells::About(at(0))),
    (libc::SYS_utimensat, Tells::About(at(0))),
    (libc::SYS_setxattr, Tells::About(here(0))),
    (libc::SYS_lsetxattr, Tells::About(here(0))),
    (libc::SYS_removexattr, Tells::About(here(0))),
    (libc::SYS_lremovexattr, Tells::About(here(0))),
    (libc::SYS_getxattr, Tells::LookCloser(here(0))),
    (libc::SYS_lgetxattr, Tells::LookCloser(here(0))),
    (libc::SYS_listxattr, Tells::LookCloser(here(0))),
    (libc::SYS_llistxattr, Tells::LookCloser(here(0))),
    (libc::SYS_fchmod, Tells::AboutOpen),
    (libc::SYS_fchown, Tells::AboutOpen),
    (libc::SYS_fsetxattr, Tells::AboutOpen),
    (libc::SYS_fremovexattr, Tells::AboutOpen),
    (libc::SYS_fadvise64, Tells::Advise),
    (libc::SYS_madvise, Tells::AdviseMemory),
    (libc::SYS_ptrace, Tells::Trace),
    (libc::SYS_prctl, Tells::OwnControl),
    (libc::SYS_clone, Tells::Clone),
    (libc::SYS_clone3, Tells::CloneHow),
    (libc::SYS_chroot, Tells::Elsewhere),
    (libc::SYS_pivot_root, Tells::Elsewhere),
    (libc::SYS_mount, Tells::Elsewhere),
    (libc::SYS_move_mount, Tells::Elsewhere),
    (libc::SYS_setns, Tells::Elsewhere),
    (libc::SYS_execve, Tells::Become(here(0))),
    (libc::SYS_execveat, Tells::Become(at(0))),
];

const RENAME_AT: Tells = Tells::Renamed {
    from: at(0),
    to: at(2),
    flags: None,
};

const MESSAGE_QUEUE: Tells = wait(
    WaitKind::Message,
    Length::Until {
        at: 4,
        clock: Clock::Is(libc::CLOCK_REALTIME),
    },
);

/// Calls that newer architectures left out.
#[cfg(target_arch = "x86_64")]
const OLDER: &[(c_long, Tells)] = &[
    (libc::SYS_open, Tells::Open(here(0))),
    (libc::SYS_creat, Tells::Creat(here(0))),
    (libc::SYS_stat, Tells::Look(here(0))),
    (libc::SYS_lstat, Tells::Look(here(0))),
    (libc::SYS_access, Tells::Look(here(0))),
    (libc::SYS_readlink, Tells::Look(here(0))),
    (libc::SYS_unlink, Tells::Changed(here(0), Change::Removed)),
    (libc::SYS_rmdir, Tells::Changed(here(0), Change::Removed)),
    (libc::SYS_mkdir, Tells::Changed(here(0), Change::Created)),
    (libc::SYS_mknod, Tells::Changed(here(0), Change::Created)),
    (libc::SYS_symlink, Tells::Changed(here(1), Change::Created)),
    (
        libc::SYS_link,
        Tells::Linked {
            from: here(0),
            to: here(1),
        },
    ),
    (
        libc::SYS_rename,
        Tells::Renamed {
            from: here(0),
            to: here(1),
            flags: None,
        },
    ),
    (libc::SYS_getdents, Tells::List),
    (
        libc::SYS_poll,
        wait_of(WaitKind::Poll, Length::Millis(2), 1),
    ),
    (
        libc::SYS_select,
        wait_of(WaitKind::Select, Length::Timeval(4), 0),
    ),
    (
        libc::SYS_epoll_wait,
        wait(WaitKind::Epoll, Length::Millis(3)),
    ),
    (libc::SYS_alarm, Tells::Alarm),
    (libc::SYS_chmod, Tells::About(here(0))),
    (libc::SYS_chown, Tells::About(here(0))),
    (libc::SYS_lchown, Tells::About(here(0))),
    (libc::SYS_utime, Tells::About(here(0))),
    (libc::SYS_utimes, Tells::About(here(0))),
    (libc::SYS_futimesat, Tells::About(at(0))),
];
#[cfg(not(target_arch = "x86_64"))]
const OLDER: &[(c_long, Tells)] = &[];

/// Calls that read clocks, at which only a trace stops that makes them go faster.
const CLOCKS: &[(c_long, Tells)] = &[
    (libc::SYS_clock_gettime, Tells::ReadClock),
    (libc::SYS_gettimeofday, Tells::ReadTimeOfDay),
    (libc::SYS_getrusage, Tells::ReadUsage),
    (libc::SYS_times, Tells::ReadTicks),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_time, Tells::ReadSeconds),
];

/// The numbers of the calls that a trace with other clocks stops at as well.
pub(super) fn numbers_of_clocks() -> impl Iterator<Item = u32> {
    let all = CLOCKS.iter();
    all.filter_map(|(number, _)| u32::try_from(*number).ok())
}

/// The numbers of the calls that a trace of a program stops at.
pub(super) fn numbers() -> impl Iterator<Item = u32> {
    let all = CALLS.iter().chain(OLDER);
    all.filter_map(|(number, _)| u32::try_from(*number).ok())
}

/// The numbers of the calls that a trace of a build stops at.
pub(super) fn numbers_of_files() -> impl Iterator<Item = u32> {
    let all = CALLS.iter().chain(OLDER);
    all.filter(|(_, tells)| tells.is_of_files())
        .filter_map(|(number, _)| u32::try_from(*number).ok())
}

/// What a call tells, by its number.
pub(super) fn tells(number: u64) -> Option<Tells> {
    let mut all = CALLS.iter().chain(OLDER).chain(CLOCKS);
    all.find(|(known, _)| u64::try_from(*known) == Ok(number))
        .map(|(_, tells)| *tells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_stands_once() {
        let mut all: Vec<u32> = numbers().collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        assert_eq!(count, CALLS.len() + OLDER.len());
    }
}
