//! What a system call tells of a program, and where it has what is told.

use super::found::{Change, WaitKind};

/// A path among the arguments, by their places: the folder that a relative one starts from (`None`
/// is the current one), and the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct At {
    pub(super) folder: Option<usize>,
    pub(super) path: usize,
}

/// A length of time among the arguments, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    /// The number itself, in milliseconds; negative is for ever.
    Millis(usize),
    /// A pointer to seconds and nanoseconds; null is for ever.
    Timespec(usize),
    /// A pointer to seconds and microseconds; null is for ever.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "newer architectures have no such call")
    )]
    Timeval(usize),
    /// A pointer to the time of a clock at which it is over.
    Until { at: usize, clock: Clock },
}

/// Which clock a time is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clock {
    /// This one.
    Is(libc::clockid_t),
    /// The argument at this place.
    Argument(usize),
}

/// What processes find by a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyed {
    Memory,
    Semaphores,
    Messages,
}

/// What a call tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tells {
    /// A file is opened; flags in the argument after the path.
    Open(At),
    /// A file is opened; flags at the pointer after the path (`openat2`).
    OpenHow(At),
    /// A file is opened for writing (`creat`).
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "newer architectures have no such call")
    )]
    Creat(At),
    /// A path is asked about, or gone into.
    Look(At),
    /// A path is asked about in a way that builds are not asked for: its attributes.
    LookCloser(At),
    /// A socket gets a name, which may be that of a file; the address in the second argument
    /// (`bind`).
    Bind,
    /// A socket is looked for by its name (`connect`).
    Connect,
    /// A path is changed.
    Changed(At, Change),
    /// A file gets one name more.
    Linked { from: At, to: At },
    /// A path gets another name; `flags` is the place of those of `renameat2`.
    Renamed {
        from: At,
        to: At,
        flags: Option<usize>,
    },
    /// The entries of the folder with the descriptor in the first argument.
    List,
    /// A file is mapped (`mmap`).
    Map,
    /// Waits no longer than this. The count of what is waited for stands at `of`: with none, it is
    /// a sleep.
    Wait {
        kind: WaitKind,
        length: Length,
        of: Option<usize>,
    },
    /// Sleeps for a time (`nanosleep`).
    Sleep,
    /// Sleeps by a clock (`clock_nanosleep`).
    ClockSleep,
    /// A lock (`futex`).
    Futex,
    /// A limit for a socket (`setsockopt`).
    SocketOption,
    /// A timer is set (`setitimer`).
    SetTimer,
    /// A signal in so many seconds (`alarm`).
    #[cfg(target_arch = "x86_64")]
    Alarm,
    /// A timer is made (`timer_create`).
    MakeTimer,
    /// A timer is set (`timer_settime`).
    SetPosixTimer,
    /// A file that is a timer is made (`timerfd_create`).
    MakeTimerFile,
    /// It is set (`timerfd_settime`).
    SetTimerFile,
    /// A child is waited for (`wait4`).
    WaitChild,
    /// A child is waited for (`waitid`).
    WaitId,
    /// What a signal does is changed.
    SignalAction,
    /// A clock is read (`clock_gettime`).
    ReadClock,
    /// The time of day is read (`gettimeofday`).
    ReadTimeOfDay,
    /// The CPU time that was used is asked for (`getrusage`).
    ReadUsage,
    /// As well, in ticks, and how many there were since some time (`times`).
    ReadTicks,
    /// The time of day in seconds is read (`time`).
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "newer architectures have no such call")
    )]
    ReadSeconds,
    /// The cores are asked for.
    AskCores,
    /// The cores are set.
    SetCores,
    /// A ring for input and output is made.
    Ring,
    /// A file is opened by its handle, which has no name (`open_by_handle_at`).
    ByHandle,
    /// Calls are filtered (`seccomp`).
    Filter,
    /// Namespaces are left; flags in the first argument (`unshare`).
    Unshare,
    /// Something of the kernel's is asked for by a key that all processes know (`shmget`).
    ByKey(Keyed),
    /// A queue of messages is opened by its name (`mq_open`).
    OpenQueue,
    /// A key is left with the kernel (`add_key`).
    AddKey,
    /// What is told of a file beside its content is changed: rights, owner, times, attributes.
    /// Where no path is named, the folder's descriptor is the file's own.
    About(At),
    /// As well, of the file with the descriptor in the first argument.
    AboutOpen,
    /// The kernel is told what will be done with a file (`fadvise64`).
    Advise,
    /// The kernel is told what will be done with memory (`madvise`).
    AdviseMemory,
    /// A process is traced.
    Trace,
    /// Something of the process itself is set (`prctl`).
    OwnControl,
    /// A process or a thread is made; flags in the first argument.
    Clone,
    /// As well; flags at the pointer in the first argument (`clone3`).
    CloneHow,
    /// The root or the mounts change.
    Elsewhere,
    /// A process becomes the program of this name.
    Become(At),
}

impl Tells {
    /// Whether it is about files, or about who is followed: what a trace of a build stops at.
    pub(super) fn is_of_files(self) -> bool {
        matches!(
            self,
            Tells::Open(_)
                | Tells::OpenHow(_)
                | Tells::Creat(_)
                | Tells::Look(_)
                | Tells::Changed(..)
                | Tells::Linked { .. }
                | Tells::Renamed { .. }
                | Tells::List
                | Tells::Trace
                | Tells::Clone
                | Tells::CloneHow
                | Tells::Elsewhere
                | Tells::Become(_)
        )
    }
}

/// A path that starts from the current folder.
pub(super) const fn here(path: usize) -> At {
    At { folder: None, path }
}

/// A path behind the folder that it starts from.
pub(super) const fn at(folder: usize) -> At {
    At {
        folder: Some(folder),
        path: folder + 1,
    }
}

/// A wait for a length of time.
pub(super) const fn wait(kind: WaitKind, length: Length) -> Tells {
    Tells::Wait {
        kind,
        length,
        of: None,
    }
}

/// A wait for one of as many things as this argument counts.
pub(super) const fn wait_of(kind: WaitKind, length: Length, of: usize) -> Tells {
    Tells::Wait {
        kind,
        length,
        of: Some(of),
    }
}
