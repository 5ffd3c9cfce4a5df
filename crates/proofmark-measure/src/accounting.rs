//! Whose account of CPU time a run goes by, and what to say where nobody has all of it.

/// How the CPU time of everything that a run started is told, where no cgroup accounts for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Accounting {
    /// By what this very run shows. For runs that decide how all others are told: see
    /// [`crate::Outcome::accounted`].
    #[default]
    Watched,
    /// What `wait4` tells of the program, of the processes that were waited for, and of those that
    /// came to the launcher as orphans. Exact, unless the kernel reaps processes by itself.
    Waited,
    /// The kernel's task clock, which every process inherits at birth. It also counts what the
    /// kernel reaps by itself; the end of each process, when its memory is given back, is not in
    /// it.
    TaskClock,
}

impl Accounting {
    /// Whether the task clock is wanted.
    pub(crate) fn by_clock(self) -> bool {
        self != Accounting::Waited
    }
}

/// Who told the CPU time of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Accounted {
    /// Its cgroup: everything.
    Group,
    /// See [`Accounting::Waited`].
    #[default]
    Waited,
    /// See [`Accounting::TaskClock`].
    TaskClock,
    /// Nobody has all of it: the number is too small, and no measurement.
    Short(Short),
}

/// Why a run's CPU time cannot be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Short {
    /// The kernel reaps the program's children and tells nobody of them.
    #[error(
        "it, or a process that it started, ignores SIGCHLD, wants no dead children or makes a namespace of processes, so that the kernel reaps its children and tells nobody their CPU time; there is no cgroup to account for them, and perf's task clock is refused ({})",
        std::io::Error::from_raw_os_error(*.0)
    )]
    Ignored(
        /// The error number with which the task clock was refused.
        i32,
    ),
    /// Nothing here shows who reaps its processes.
    #[error(
        "it cannot be seen whether the kernel reaps some of its processes by itself, whose CPU time nobody would be told: there is no cgroup to account for them, perf's task clock is refused ({}), and so is a filter that would show it",
        std::io::Error::from_raw_os_error(*.0)
    )]
    Unseen(
        /// The error number with which the task clock was refused.
        i32,
    ),
    /// A process that left its process group, while several programs took turns.
    #[error(
        "a process that it started left its process group and its parent, while several programs took turns in slices: it cannot be told whose it was"
    )]
    Stray,
    /// The task clock stopped before the program did.
    #[error(
        "perf's task clock stopped before the program ended (it executes a file with other rights, or one that may not be read), and the kernel reaps some of its children by itself"
    )]
    ClockStopped,
    /// Processes of the program were moved out of its cgroup.
    #[error("processes that it started left its cgroup")]
    LeftGroup,
}

impl Short {
    /// What would help.
    #[must_use]
    pub fn remedy(self) -> &'static str {
        match self {
            Short::Ignored(_) | Short::Unseen(_) => {
                "permit perf (`sysctl kernel.perf_event_paranoid=2`), or run proofmark in a cgroup of its own (`systemd-run --user --scope --property=Delegate=yes proofmark …`), or take --metric wall"
            }
            Short::Stray => "take --schedule interleaved, or --metric wall",
            Short::ClockStopped => {
                "run proofmark in a cgroup of its own (`systemd-run --user --scope --property=Delegate=yes proofmark …`), or take --metric wall"
            }
            Short::LeftGroup => {
                "keep the program's processes in the cgroup that they are born in, or take --metric wall"
            }
        }
    }
}

/// What the launcher knows of a run's CPU time, in microseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) by: Accounting,
    /// The program, what was waited for, and orphans.
    pub(crate) waited_us: u64,
    /// Of processes that were perhaps another run's.
    pub(crate) stray_us: u64,
    /// Processes that came to the launcher in process groups of their own.
    pub(crate) strangers: u32,
    /// The task clock, or the error number with which it was refused.
    pub(crate) clock: Result<u64, i32>,
    /// Who reaps its processes.
    pub(crate) reaping: Reaping,
}

/// Who reaps the processes of a run, as far as can be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reaping {
    /// Their parents, or the launcher; or there are none.
    ByParents,
    /// The kernel may, for a process has said so.
    ByTheKernel,
    /// Nobody looked, or nobody could.
    Unseen,
}

impl Known {
    /// The CPU time, in microseconds, and who told it.
    pub(crate) fn settle(&self) -> (u64, Accounted) {
        let waited = (self.waited_us, Accounted::Waited);
        match (self.by, self.clock) {
            (Accounting::TaskClock, Ok(clock)) if clock >= self.waited_us / 2 => {
                (clock, Accounted::TaskClock)
            }
            (Accounting::TaskClock, Ok(_)) => {
                (self.waited_us, Accounted::Short(Short::ClockStopped))
            }
            (Accounting::TaskClock, Err(errno)) => {
                (self.waited_us, Accounted::Short(Short::Ignored(errno)))
            }
            (Accounting::Watched, Ok(clock)) if self.escapes(clock) => {
                (clock.max(self.waited_us), Accounted::TaskClock)
            }
            (Accounting::Waited | Accounting::Watched, _) if self.stray_us > 0 => {
                (self.waited_us, Accounted::Short(Short::Stray))
            }
            (Accounting::Waited, _) => waited,
            (Accounting::Watched, Err(errno)) => match self.reaping {
                Reaping::ByParents => waited,
                Reaping::ByTheKernel => (self.waited_us, Accounted::Short(Short::Ignored(errno))),
                Reaping::Unseen => (self.waited_us, Accounted::Short(Short::Unseen(errno))),
            },
            (Accounting::Watched, Ok(_)) => waited,
        }
    }

    /// Whether there is, or may be, CPU time that `wait4` does not tell, or that it cannot tell
    /// among several runs side by side.
    ///
    /// The clock leaves out the ends of processes, so that it shows less than `wait4` where all is
    /// told (some 0.1 ms for each process, seen on Linux 6.18), and more by no more than rounding;
    /// a hypervisor that takes the core away shows in the clock alone, which then does no harm: the
    /// clock's own account is as good.
    fn escapes(&self, clock: u64) -> bool {
        self.reaping == Reaping::ByTheKernel
            || self.strangers > 0
            || self.stray_us > 0
            || clock > self.waited_us + self.waited_us / 200 + 100
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(by: Accounting, waited_us: u64, clock: Result<u64, i32>) -> Known {
        Known {
            by,
            waited_us,
            stray_us: 0,
            strangers: 0,
            clock,
            reaping: Reaping::ByParents,
        }
    }

    #[test]
    fn what_all_tell_alike_is_told_by_those_who_waited() {
        let watched = known(Accounting::Watched, 30_000, Ok(29_400));
        assert_eq!(watched.settle(), (30_000, Accounted::Waited));
        let forbidden = known(Accounting::Watched, 30_000, Err(libc::EPERM));
        assert_eq!(forbidden.settle(), (30_000, Accounted::Waited));
    }

    #[test]
    fn what_nobody_waited_for_is_told_by_the_clock_or_by_nobody() {
        let watched = known(Accounting::Watched, 700, Ok(9_300));
        assert_eq!(watched.settle(), (9_300, Accounted::TaskClock));
        let small = Known {
            reaping: Reaping::ByTheKernel,
            ..known(Accounting::Watched, 30_000, Ok(30_050))
        };
        assert_eq!(small.settle(), (30_050, Accounted::TaskClock));
        let forbidden = Known {
            clock: Err(libc::EPERM),
            ..small
        };
        assert_eq!(
            forbidden.settle().1,
            Accounted::Short(Short::Ignored(libc::EPERM))
        );
        let unseen = Known {
            reaping: Reaping::Unseen,
            ..forbidden
        };
        assert_eq!(
            unseen.settle().1,
            Accounted::Short(Short::Unseen(libc::EPERM))
        );
        let later = known(Accounting::TaskClock, 30_000, Err(libc::EMFILE));
        assert!(matches!(later.settle().1, Accounted::Short(_)));
        let stopped = known(Accounting::TaskClock, 30_000, Ok(200));
        assert_eq!(stopped.settle().1, Accounted::Short(Short::ClockStopped));
    }

    #[test]
    fn an_orphan_of_nobody_known_is_not_given_to_anybody() {
        let stray = Known {
            stray_us: 1,
            ..known(Accounting::Waited, 30_000, Err(0))
        };
        assert_eq!(stray.settle().1, Accounted::Short(Short::Stray));
    }
}
