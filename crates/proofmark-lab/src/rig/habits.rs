//! What a program does when nobody disturbs it, and what it does when somebody does: the runs by
//! which the way to measure it is chosen.

use std::time::Duration;

use proofmark_measure::End;
use proofmark_measure::trace::Traced;
use proofmark_terms::Digest;

/// How one arm is run by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Alone {
    /// On which cores it may run.
    pub cores: OnCores,
    /// With pauses, so that the run takes so many times as long.
    pub pauses: Option<Pauses>,
    /// With clocks that go so many times as fast, which a traced run can have.
    pub hurry: Option<Hurry>,
}

impl Alone {
    /// Undisturbed, and free to use all cores.
    pub(crate) const FREE: Alone = Alone {
        cores: OnCores::Any,
        pauses: None,
        hurry: None,
    };

    /// Undisturbed, on one core.
    pub(crate) const PINNED: Alone = Alone {
        cores: OnCores::One,
        pauses: None,
        hurry: None,
    };

    /// Undisturbed, on another core than that of the measurement.
    pub(crate) const ELSEWHERE: Alone = Alone {
        cores: OnCores::Other,
        pauses: None,
        hurry: None,
    };
}

/// On which cores a run by itself may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnCores {
    /// Wherever the kernel likes.
    #[default]
    Any,
    /// On that of the measurement.
    One,
    /// On the one that [`Rig::other_core`](super::Rig::other_core) names.
    Other,
}

/// Pauses in a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pauses {
    /// Time between two pauses, in nanoseconds.
    pub every_ns: u64,
    /// The run takes so many times as long.
    pub times: f64,
}

/// Clocks that go faster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hurry {
    /// How many times as fast.
    pub times: f64,
    /// What would last longer than this, in nanoseconds, lasts as long as it would.
    pub longest_ns: u64,
    /// The run is ended after so long, in nanoseconds: to read a clock takes longer.
    pub limit_ns: u64,
}

/// What came of a run that nobody shared its time with. It is told, and not judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Solo {
    /// How it ended.
    pub end: End,
    /// Digest of what it printed, without the numbers that are the metric.
    pub printed: Digest,
    /// The number that is the metric, where the metric is one that is printed.
    pub number: Option<f64>,
    /// CPU time, in nanoseconds.
    pub cpu_ns: u64,
    /// Wall time with its pauses, in nanoseconds.
    pub wall_ns: u64,
    /// How often it gave up its core by itself.
    pub waits: u64,
}

/// What a traced run says of a program, as far as it decides how the program is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Habits {
    /// How it ended.
    pub end: End,
    /// As [`Solo::printed`].
    pub printed: Digest,
    /// Threads made beside the first one of each process.
    pub threads: u64,
    /// Processes made beside the first.
    pub processes: u64,
    /// How long its threads ran, in nanoseconds; 0 where the kernel does not tell.
    pub ran_ns: u64,
    /// How long they could have run and waited for a core, in nanoseconds.
    pub queued_ns: u64,
    /// It asked on how many cores it may run.
    pub asks_cores: bool,
    /// It set itself on which cores it may run.
    pub sets_cores: bool,
    /// How often it read a clock, where those go otherwise. A timer of CPU time that is set counts
    /// as two.
    pub clocks: u64,
    /// Signals that timers sent.
    pub alarms: u64,
    /// The shortest real time after which a timer goes off, in nanoseconds, where it set one.
    pub timer_ns: Option<u64>,
    /// The shortest and the longest real time that it waits for something at most, in nanoseconds.
    pub limits_ns: Option<(u64, u64)>,
    /// Calls that do nothing but let time pass.
    pub sleeps: u64,
    /// Some of what it does is not seen (`io_uring`).
    pub unseen: bool,
}

impl Habits {
    /// From a trace and the digest of what it printed.
    pub(crate) fn of(traced: &Traced, printed: Digest) -> Habits {
        let waits = traced.timed.iter().filter(|(kind, _)| !kind.is_timer());
        let limits_ns = waits
            .map(|(_, spans)| (ns(spans.shortest), ns(spans.longest)))
            .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        Habits {
            end: traced.end,
            printed,
            threads: traced.family.threads,
            processes: traced.family.processes,
            ran_ns: ns(traced.queue.ran),
            queued_ns: ns(traced.queue.waited),
            asks_cores: traced.cores.are_asked(),
            sets_cores: traced.cores.set > 0,
            clocks: traced.clocks,
            alarms: traced.alarms,
            timer_ns: traced.shortest_timer().map(ns),
            limits_ns,
            sleeps: traced.sleeps.times,
            unseen: traced.rings > 0,
        }
    }

    /// How long its threads waited for a core, as a share of the time that they ran.
    pub(crate) fn queued(&self) -> f64 {
        self.queued_ns as f64 / self.ran_ns.max(1) as f64
    }

    /// Whether it lets time pass, or has the kernel tell it when some has.
    pub(crate) fn waits_for_time(&self) -> bool {
        self.sleeps > 0 || self.timer_ns.is_some() || self.limits_ns.is_some()
    }

    /// Whether more than one thread is at work, as far as is seen.
    pub(crate) fn has_company(&self) -> bool {
        self.threads > 0 || self.processes > 0 || self.unseen
    }

    /// Whether the number of cores may matter to it.
    pub(crate) fn may_use_cores(&self) -> bool {
        self.has_company() || self.asks_cores || self.sets_cores
    }

    /// The shortest real time after which it does something, in nanoseconds.
    pub(crate) fn shortest_ns(&self) -> Option<u64> {
        let limit = self.limits_ns.map(|(shortest, _)| shortest);
        self.timer_ns.into_iter().chain(limit).min()
    }
}

fn ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
