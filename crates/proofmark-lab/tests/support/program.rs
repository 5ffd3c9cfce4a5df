//! A program of which it is known what it does when it may use all cores, and when it is held.

use std::time::Duration;

use proofmark_evidence::record::Run;
use proofmark_lab::{Alone, Habits, OnCores, Solo, Traceable};
use proofmark_measure::End;
use proofmark_terms::Digest;

/// What a program does beside its work.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// Why it cannot be traced.
    pub(crate) untraceable: Option<String>,
    /// It exits with 1 under a tracer.
    pub(crate) fails_traced: bool,
    /// Threads that it makes where it may use all cores, and on one.
    pub(crate) threads: [u64; 2],
    /// How long its threads wait for each other on one core, beside a millisecond of CPU time, in
    /// nanoseconds.
    pub(crate) queued_ns: u64,
    pub(crate) asks_cores: bool,
    pub(crate) sets_cores: bool,
    /// CPU time on all cores as a multiple of that on one.
    pub(crate) on_all: f64,
    /// What the first of those runs takes on top, as a multiple.
    pub(crate) at_first: Option<f64>,
    /// CPU time of the new build elsewhere as a multiple of that on the core of the measurement.
    pub(crate) elsewhere: f64,
    /// The number that the new build prints elsewhere, where 1 is what is printed otherwise; none
    /// where none is printed.
    pub(crate) number_elsewhere: Option<f64>,
    /// How many of its runs elsewhere are such; all others take what they take here.
    pub(crate) elsewhere_for: usize,
    /// What each further multiple of its wall time adds to its CPU time.
    pub(crate) by_clock: f64,
    /// What it adds to that of the new build alone.
    pub(crate) new_by_clock: f64,
    /// In how many of its runs with pauses that is so.
    pub(crate) new_by_clock_for: usize,
    /// It works until a thread that sleeps tells it to end, and does less where it is held.
    pub(crate) until: bool,
    /// The same in short batches, which pauses do not reach.
    pub(crate) until_clock: bool,
    /// A timer of real time, in nanoseconds.
    pub(crate) timer_ns: Option<u64>,
    /// It prints how long it took.
    pub(crate) prints_time: bool,
    /// How far it was stretched.
    pub(crate) stretched: f64,
}

impl Default for Program {
    fn default() -> Self {
        Program {
            untraceable: None,
            fails_traced: false,
            threads: [0, 0],
            queued_ns: 0,
            asks_cores: false,
            sets_cores: false,
            on_all: 1.0,
            at_first: None,
            elsewhere: 1.0,
            number_elsewhere: None,
            elsewhere_for: usize::MAX,
            by_clock: 0.0,
            new_by_clock: 0.0,
            new_by_clock_for: usize::MAX,
            until: false,
            until_clock: false,
            timer_ns: None,
            prints_time: false,
            stretched: 1.0,
        }
    }
}

impl Program {
    pub(crate) fn alone(&mut self, arm: usize, how: &Alone, run_ns: f64) -> Solo {
        let times = how.pauses.map_or(1.0, |pauses| pauses.times);
        self.stretched = self.stretched.max(times);
        let on_all = if how.cores == OnCores::Any {
            self.on_all * self.at_first.take().unwrap_or(1.0)
        } else {
            1.0
        };
        let elsewhere = if how.cores == OnCores::Other && arm == 1 && self.elsewhere_for > 0 {
            self.elsewhere_for -= 1;
            self.elsewhere
        } else {
            1.0
        };
        let of_new = if arm == 1 && how.pauses.is_some() && self.new_by_clock_for > 0 {
            self.new_by_clock_for -= 1;
            self.new_by_clock
        } else {
            0.0
        };
        let by_clock = self.by_clock + of_new;
        let done = if self.until { 1.0 / times } else { 1.0 };
        let cpu = run_ns * done * on_all * elsewhere * (1.0 + by_clock * (times - 1.0));
        let ns = |value: f64| {
            let whole = Duration::from_secs_f64(value / 1e9).as_nanos();
            u64::try_from(whole).unwrap()
        };
        Solo {
            end: End::Exited(0),
            printed: self.printed(times),
            number: self.number_elsewhere.map(|there| {
                if how.cores == OnCores::Other && arm == 1 {
                    there
                } else {
                    1.0
                }
            }),
            cpu_ns: ns(cpu),
            wall_ns: ns(run_ns * times),
            waits: 1,
        }
    }

    /// What is told of undisturbed runs.
    pub(crate) fn told(&self, runs: &[Run]) -> Vec<Solo> {
        let of = |run: &Run| Solo {
            end: End::Exited(0),
            printed: self.printed(1.0),
            number: None,
            cpu_ns: run.cpu_ns,
            wall_ns: run.wall_ns,
            waits: 0,
        };
        runs.iter().map(of).collect()
    }

    pub(crate) fn trace(&mut self, how: &Alone, run_ns: f64) -> Traceable {
        if let Some(reason) = &self.untraceable {
            return Err(reason.clone());
        }
        let times = how.pauses.map_or(1.0, |pauses| pauses.times);
        self.stretched = self.stretched.max(times);
        let lasts = Duration::from_secs_f64(run_ns * times / 1e9).as_nanos();
        let alarms = |ns| u64::try_from(lasts / u128::from(ns)).unwrap();
        Ok(Habits {
            end: End::Exited(i32::from(self.fails_traced)),
            printed: self.printed(times),
            threads: self.threads[usize::from(how.cores != OnCores::Any)],
            processes: 0,
            ran_ns: match how
                .hurry
                .filter(|hurry| self.until_clock && hurry.times > 1.0)
            {
                None => 1_000_000,
                Some(_) => 250_000,
            },
            queued_ns: if how.cores == OnCores::Any {
                0
            } else {
                self.queued_ns
            },
            asks_cores: self.asks_cores,
            sets_cores: self.sets_cores,
            clocks: if self.until_clock { 2 } else { 0 },
            alarms: self.timer_ns.map_or(0, alarms),
            timer_ns: self.timer_ns,
            limits_ns: None,
            sleeps: u64::from(self.until),
            unseen: false,
        })
    }

    fn printed(&self, times: f64) -> Digest {
        let text = if self.prints_time {
            format!("{times}")
        } else {
            "ok".to_owned()
        };
        blake3::hash(text.as_bytes()).into()
    }
}
