//! Runs as the benchmark wants them: prepared each by itself, and with their CPU time told by one
//! and the same account.

use std::rc::Rc;
use std::thread::sleep;
use std::time::Duration;

use proofmark_evidence::record::{Benchmark, Warning};
use proofmark_measure::trace::{TraceLimits, trace};
use proofmark_measure::{
    Accounted, Accounting, Grouping, Instrument, Interrupt, Launch, MeasureError, Outcome, Short,
    Stretch, Turns,
};

use crate::error::LabError;
use crate::prepare::prepare_launch;

/// How often a file that is still open for writing is tried again: a linker that was started while
/// the copy was being written holds it until it is itself executed.
const BUSY_TRIES: u32 = 40;
const BUSY_PAUSE: Duration = Duration::from_millis(5);

/// What carries out the runs of one benchmark.
pub(crate) struct Runner {
    instrument: Rc<Instrument>,
    benchmark: Benchmark,
    /// Who tells CPU time; not known before the first run.
    accounting: Option<Accounting>,
    stop: Interrupt,
}

impl Runner {
    pub(crate) fn new(instrument: Rc<Instrument>, benchmark: &Benchmark, stop: Interrupt) -> Self {
        Runner {
            instrument,
            benchmark: benchmark.clone(),
            accounting: None,
            stop,
        }
    }

    /// Whether it is known who tells CPU time.
    pub(crate) fn is_settled(&self) -> bool {
        self.accounting.is_some()
    }

    /// Finds out who tells CPU time, for all runs to come alike, by these launches.
    pub(crate) fn settle(&mut self, launches: &[Launch]) -> Result<(), LabError> {
        self.accounting = Some(self.settled(launches)?);
        Ok(())
    }

    /// One run of each launch; outcomes in the order of the launches.
    pub(crate) fn round(
        &mut self,
        launches: &[Launch],
        turns: &Turns,
    ) -> Result<Vec<Outcome>, LabError> {
        let launches = accounted(launches, self.accounting.unwrap_or_default());
        self.prepared(&launches, turns)
    }

    /// One run by itself, with pauses.
    pub(crate) fn stretched(
        &self,
        launch: &Launch,
        stretch: &Stretch,
    ) -> Result<Outcome, LabError> {
        prepare_launch(&self.benchmark, launch)?;
        let launch = Launch {
            accounting: self.accounting.unwrap_or_default(),
            ..launch.clone()
        };
        Ok(self.instrument.stretched(&launch, stretch)?)
    }

    /// What holds processes.
    pub(crate) fn grouping(&self) -> &Grouping {
        self.instrument.grouping()
    }

    /// What a reader must know of the account.
    pub(crate) fn remark(&self) -> Option<Warning> {
        (self.accounting == Some(Accounting::TaskClock)).then_some(Warning::CpuByTaskClock)
    }

    /// Who tells CPU time from now on, for all runs alike: found out by a run of each launch that
    /// is not counted. Where a group accounts for everything, nothing has to be found out.
    fn settled(&self, launches: &[Launch]) -> Result<Accounting, LabError> {
        if *self.instrument.grouping() == Grouping::CgroupV2 {
            return Ok(Accounting::Watched);
        }
        let mut watched = accounted(launches, Accounting::Watched);
        for launch in &mut watched {
            launch.tax = None;
        }
        let order = (0..watched.len()).collect();
        let outcomes = self.prepared(&watched, &Turns::Interleaved { order })?;
        let told: Vec<Accounted> = outcomes.iter().map(|outcome| outcome.accounted).collect();
        if told.iter().any(is_short) {
            // Each run will say so again; what does not read CPU time may go on.
            return Ok(Accounting::Watched);
        }
        by_whom(&told, &self.children(&watched)?)
    }

    /// What traced runs of these launches say of whoever would tell the CPU time of children.
    fn children(&self, launches: &[Launch]) -> Result<Children, LabError> {
        let mut children = Children {
            ignored: Some(false),
            clock_stopped: false,
        };
        for launch in launches {
            prepare_launch(&self.benchmark, launch)?;
            let limits = TraceLimits::default();
            match trace(launch, &limits, &self.stop) {
                Ok(traced) => {
                    children.clock_stopped |= traced.stops_counters;
                    if traced.reaping.ignored || traced.reaping.namespaces {
                        children.ignored = Some(true);
                    }
                }
                Err(_) if children.ignored == Some(false) => children.ignored = None,
                Err(_) => {}
            }
        }
        Ok(children)
    }

    /// As the turns say; where runs are prepared, each by itself.
    fn prepared(&self, launches: &[Launch], turns: &Turns) -> Result<Vec<Outcome>, LabError> {
        if self.benchmark.prepare.is_none() {
            return self.patient(launches, turns);
        }
        let Turns::Interleaved { order } = turns else {
            return Err(LabError::Refused(
                "--prepare is for whole runs: each of them is prepared, and slices of several have begun already\n  next: leave --schedule sliced out".to_owned(),
            ));
        };
        let mut outcomes = vec![None; launches.len()];
        for &arm in order {
            prepare_launch(&self.benchmark, &launches[arm])?;
            let alone = Turns::Interleaved { order: vec![0] };
            outcomes[arm] = self.patient(&launches[arm..=arm], &alone)?.pop();
        }
        Ok(outcomes.into_iter().flatten().collect())
    }

    /// Again where a copy is still held open.
    fn patient(&self, launches: &[Launch], turns: &Turns) -> Result<Vec<Outcome>, LabError> {
        for _ in 1..BUSY_TRIES {
            match self.instrument.round(launches, turns) {
                Err(MeasureError::Busy { .. }) => sleep(BUSY_PAUSE),
                other => return Ok(other?),
            }
        }
        Ok(self.instrument.round(launches, turns)?)
    }
}

/// What is known of the children of some runs.
struct Children {
    /// Some process leaves its own to the kernel, or to a namespace that ends; `None` where not
    /// every run could be traced.
    ignored: Option<bool>,
    /// Some process stops perf's counters.
    clock_stopped: bool,
}

/// Whether some CPU time is told by nobody, for a reason that is known.
fn is_short(by: &Accounted) -> bool {
    matches!(by, Accounted::Short(why) if !matches!(why, Short::Unseen(_)))
}

/// Who tells CPU time from now on, by who told that of runs that were watched and by what is known
/// of their children. Where no trace is possible, what was seen of those runs has to do.
fn by_whom(told: &[Accounted], children: &Children) -> Result<Accounting, LabError> {
    let unseen = |by: &Accounted| matches!(by, Accounted::Short(Short::Unseen(_)));
    if told.iter().any(unseen) && children.ignored != Some(false) {
        return Ok(Accounting::Watched);
    }
    if !told.contains(&Accounted::TaskClock) && children.ignored != Some(true) {
        return Ok(Accounting::Waited);
    }
    if children.clock_stopped {
        Err(no_clock())
    } else {
        Ok(Accounting::TaskClock)
    }
}

/// Nobody tells the CPU time of what the kernel reaps: the program stops the clock that would.
fn no_clock() -> LabError {
    LabError::Refused(format!(
        "the CPU time of what the program starts cannot be told: nobody waits for some of it, and the program stops perf's task clock itself (`prctl`, PR_TASK_PERF_EVENTS_DISABLE)\n  next: {}",
        Short::ClockStopped.remedy()
    ))
}

fn accounted(launches: &[Launch], accounting: Accounting) -> Vec<Launch> {
    let with = |launch: &Launch| Launch {
        accounting,
        ..launch.clone()
    };
    launches.iter().map(with).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_the_program_stops_tells_no_time() {
        let by = |told: Accounted, ignored: Option<bool>, clock_stopped: bool| {
            let children = Children {
                ignored,
                clock_stopped,
            };
            by_whom(&[Accounted::Waited, told], &children)
        };
        let clock = Accounted::TaskClock;
        assert_eq!(
            by(clock, Some(false), false).unwrap(),
            Accounting::TaskClock
        );
        for stopped in [
            by(clock, Some(false), true),
            by(Accounted::Waited, Some(true), true),
        ] {
            let said = stopped.unwrap_err().to_string();
            assert!(said.contains("stops perf's task clock itself"), "{said}");
        }
        // Parents tell of their children, whatever the clock does.
        let waited = by(Accounted::Waited, Some(false), true).unwrap();
        assert_eq!(waited, Accounting::Waited);
        let unseen = Accounted::Short(Short::Unseen(1));
        assert_eq!(by(unseen, None, false).unwrap(), Accounting::Watched);
    }
}
