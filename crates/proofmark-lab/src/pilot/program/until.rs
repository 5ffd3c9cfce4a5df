//! Whether a program works until a time is over, however much it does by then, as load generators
//! do, and drivers of benchmarks that choose their number of iterations. Its CPU time and its wall
//! time are what they are by construction, and say nothing of how fast it is.
//!
//! A traced run has clocks that go faster, and one that is told by the kernel that a time is over
//! is held up by pauses. Whoever has a fixed amount of work does all of it; whoever works until a
//! time is over does less.

use proofmark_evidence::record::Run;
use proofmark_terms::Metric;

use super::{Asked, Program, moved, ms};
use crate::error::LabError;
use crate::rig::{Alone, Habits, Hurry, Pauses, Solo};

/// How far a run is stretched: so far that one which works until a time is over does a quarter.
const TIMES: f64 = 4.0;

/// A run that is longer, in nanoseconds, is stretched less: noise is averaged in it by itself.
const LONG: (u64, f64) = (500_000_000, 2.0);

/// A run with less than this of its undisturbed CPU time did not do its work; a third of the work
/// may go by the time for that.
const LESS: f64 = 0.75;

/// Runs in one of which it has to show at first.
const LOOKS: usize = 2;

/// Rounds by which it has to show again.
const ROUNDS: usize = 5;

/// A run is cut into about so many pieces, which are within these bounds, in nanoseconds: a driver
/// that times short batches has to meet pauses too.
const PIECES: (u64, [u64; 2]) = (64, [1_000_000, 20_000_000]);

/// A traced run with other clocks may take so many times as long as an undisturbed one, and so many
/// nanoseconds: each reading is a call that a tracer looks at.
const LIMIT: (u64, u64) = (5, 1_000_000_000);

/// Whether a metric is made of the time that runs take.
fn is_time(metric: &Metric) -> bool {
    matches!(metric, Metric::CpuTime | Metric::WallTime)
}

fn times(run: &Run) -> f64 {
    let (long_ns, less) = LONG;
    if run.wall_ns > long_ns { less } else { TIMES }
}

impl Program<'_> {
    /// Refuses a program that works until a time is over where its time is what is measured; `bare`
    /// is an undisturbed run.
    pub(super) fn refuse_until(
        &mut self,
        asked: &Asked<'_>,
        habits: &Habits,
        bare: &Solo,
    ) -> Result<(), LabError> {
        if !is_time(&asked.experiment.benchmark.metric) {
            return Ok(());
        }
        let how = match self.hurried(habits, bare)? {
            Some(how) => Some(how),
            // Somebody else may tell it that the time is over.
            None if habits.waits_for_time() => self.held_up(bare)?,
            None => None,
        };
        let Some(how) = how else {
            return Ok(());
        };
        let build = asked.builds.get(self.arm);
        let build = build.and_then(|build| build.of(&asked.experiment.builds));
        Err(LabError::Refused(format!(
            "{} works until a time is over, however much it has done by then: {how}. Neither its \
             CPU time ({} in all) nor its wall time says how fast it is\n  next: measure the \
             number that it prints (--metric 'stdout[ns]:PATTERN'), or let it do a fixed number \
             of iterations",
            build.map_or("the program", |build| &build.name),
            ms(bare.cpu_ns),
        )))
    }

    /// How much less it does with pauses, if it does less: a thread that sleeps, or a timer, ends
    /// it.
    fn held_up(&mut self, bare: &Solo) -> Result<Option<String>, LabError> {
        let (pieces, [shortest_ns, longest_ns]) = PIECES;
        let times = times(&self.run);
        let held_up = Alone {
            pauses: Some(Pauses {
                every_ns: (self.run.wall_ns / pieces).clamp(shortest_ns, longest_ns),
                times,
            }),
            ..Alone::FREE
        };
        if !did_less(bare.cpu_ns, self.alone(&held_up)?.cpu_ns) {
            return Ok(None);
        }
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            let quiet_ns = self.alone(&Alone::FREE)?.cpu_ns;
            rounds.push((quiet_ns, self.alone(&held_up)?.cpu_ns));
        }
        let said = |less| {
            format!(
                "with pauses, by which its run would take {times:.0} times as long, it does {less:.0} % less"
            )
        };
        Ok(less(&rounds).map(said))
    }

    /// How much less it does where its clocks go faster, if it does less: in a traced run, as
    /// pauses do not reach a batch that is shorter than the time between two of them. One that is
    /// still at work much later has all of it to do.
    fn hurried(&mut self, habits: &Habits, bare: &Solo) -> Result<Option<String>, LabError> {
        let limit_ns = self
            .run
            .wall_ns
            .saturating_mul(LIMIT.0)
            .saturating_add(LIMIT.1);
        let with = |times| Alone {
            hurry: Some(Hurry {
                times,
                longest_ns: bare.wall_ns.max(bare.cpu_ns),
                limit_ns,
            }),
            ..Alone::FREE
        };
        let mut ran_ns = |times| -> Result<Option<u64>, LabError> {
            let traced = self.rig.trace(self.arm, &with(times))?.ok();
            let traced = traced.filter(|run| run.end == habits.end && run.clocks > 1);
            Ok(traced.map(|run| run.ran_ns))
        };
        let less_than = |quiet_ns: u64, found: Option<u64>| {
            found.is_some_and(|found| did_less(quiet_ns, found))
        };
        // Of the time that is over others may take their part, so that it does as much in one run.
        let mut shows = false;
        for _ in 0..LOOKS {
            let found = ran_ns(TIMES)?;
            shows = habits.ran_ns > 0 && less_than(habits.ran_ns, found);
            if shows || found.is_none() {
                break;
            }
        }
        if !shows {
            return Ok(None);
        }
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            let (Some(quiet_ns), Some(hurried_ns)) = (ran_ns(1.0)?, ran_ns(TIMES)?) else {
                return Ok(None);
            };
            rounds.push((quiet_ns, hurried_ns));
        }
        let said = |less| {
            format!("where its clocks go {TIMES:.0} times as fast, it does {less:.0} % less")
        };
        Ok(less(&rounds).map(said))
    }
}

fn did_less(quiet_ns: u64, disturbed_ns: u64) -> bool {
    (disturbed_ns as f64) < LESS * quiet_ns as f64
}

/// How much less was done in the second run of each pair, in per cent, where that stands out of the
/// noise.
fn less(rounds: &[(u64, u64)]) -> Option<f64> {
    let by = moved(rounds, -LESS.ln()).filter(|by| *by < 0.0)?;
    Some(-by.exp_m1() * 100.0)
}
