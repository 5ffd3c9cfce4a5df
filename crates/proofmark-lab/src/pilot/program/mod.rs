//! What is to be known of a program before its runs are shared out: whether it may be cut into
//! slices, and whether it may be kept on one core, and whether any core would do.
//!
//! A traced run raises suspicions, and a test decides. Some things make no system call, such as
//! clocks that are read through the vDSO, and some programs always look suspicious: every program
//! of some languages has timers, or asks for the number of cores as it starts.

mod cores;
mod elsewhere;
mod pauses;
mod until;

pub(super) use elsewhere::elsewhere_ns;
pub(super) use pauses::pauses_ns;

use proofmark_evidence::record::{Experiment, Observation, Run};
use proofmark_measure::End;
use proofmark_stats::{median, spread};
use proofmark_terms::{BuildIndex, Metric};

use super::room::Room;
use crate::error::LabError;
use crate::rig::{Alone, Habits, Rig, Solo};
use elsewhere::depends_on_core;
use pauses::{Held, Paused, moved_by_pauses};

/// How the runs of a program may be made. A later one holds more back.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    /// In slices on one core.
    Sliceable,
    /// Whole, on one core, for this reason.
    Whole(String),
    /// Whole, and free to use all cores, for this reason.
    Unpinned(String),
}

/// What was found out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Learnt {
    pub(super) verdict: Verdict,
    pub(super) observations: Vec<Observation>,
}

/// What the question is about.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    pub(super) experiment: &'a Experiment,
    /// The builds, in the order of the placed arms.
    pub(super) builds: &'a [BuildIndex],
    /// An undisturbed run of each, free to use all cores.
    pub(super) runs: &'a [Run],
    /// What is told of those.
    pub(super) told: &'a [Solo],
    /// Whether one core is thought of: else nobody has to know what several do.
    pub(super) pinned: bool,
    /// Whether slices are thought of: else nobody has to know what pauses do.
    pub(super) slices: bool,
    /// Whether there is time to see what it does on one core; else it is left free.
    pub(super) room: Room,
}

/// Finds out about each build. Runs are left pinned or free as they were.
pub(super) fn learn(rig: &mut dyn Rig, asked: &Asked<'_>) -> Result<Learnt, LabError> {
    let mut learnt = Learnt {
        verdict: Verdict::Sliceable,
        observations: Vec::new(),
    };
    let mut all_held: Vec<Held> = Vec::new();
    let undisturbed = asked.runs.iter().zip(asked.told);
    for (arm, (&build, (run, bare))) in asked.builds.iter().zip(undisturbed).enumerate() {
        let mut program = Program::of(&mut *rig, asked, arm, *run);
        let (verdict, found, held) = program.learn(asked, bare)?;
        all_held.extend(held);
        if let Verdict::Whole(reason) | Verdict::Unpinned(reason) = &verdict {
            learnt.observations.push(Observation {
                build,
                found: reason.clone(),
                decides: true,
            });
        }
        learnt.observations.extend(found.map(|found| Observation {
            build,
            found,
            decides: false,
        }));
        // The first build of those that hold back most gives the reason.
        if rank(&verdict) > rank(&learnt.verdict) {
            learnt.verdict = verdict;
        }
    }
    if learnt.verdict == Verdict::Sliceable
        && let Some((build, found)) = moved_by_pauses(rig, asked, &all_held)?
    {
        learnt.verdict = Verdict::Whole(found.clone());
        learnt.observations.push(Observation {
            build,
            found,
            decides: true,
        });
    }
    if asked.pinned
        && asked.room.is_for_all()
        && !matches!(learnt.verdict, Verdict::Unpinned(_))
        && let Some((build, found)) = depends_on_core(rig, asked.builds, asked.runs)?
    {
        learnt.verdict = Verdict::Unpinned(found.clone());
        learnt.observations.push(Observation {
            build,
            found,
            decides: true,
        });
    }
    Ok(learnt)
}

/// CPU time of the longest run that one may share its slices with, in nanoseconds; its own where it
/// is alone.
fn largest_other(runs: &[Run], arm: usize) -> u64 {
    let others = runs.iter().enumerate().filter(|(other, _)| *other != arm);
    let largest = others.map(|(_, run)| run.cpu_ns).max();
    largest
        .or_else(|| runs.get(arm).map(|run| run.cpu_ns))
        .unwrap_or(0)
}

fn rank(verdict: &Verdict) -> u32 {
    match verdict {
        Verdict::Sliceable => 0,
        Verdict::Whole(_) => 1,
        Verdict::Unpinned(_) => 2,
    }
}

impl Asked<'_> {
    /// Whether CPU time is what is measured: of that a run on one core can be held against a free
    /// one.
    fn cpu_time(&self) -> bool {
        self.experiment.benchmark.metric == Metric::CpuTime
    }
}

/// One build's program.
struct Program<'a> {
    rig: &'a mut dyn Rig,
    arm: usize,
    build: BuildIndex,
    run: Run,
    /// In a group of slices it takes so many times as long as alone.
    beside: f64,
    /// How many builds share the time of the tests.
    builds: usize,
}

impl<'a> Program<'a> {
    fn of(rig: &'a mut dyn Rig, asked: &Asked<'_>, arm: usize, run: Run) -> Program<'a> {
        Program {
            rig,
            arm,
            build: asked.builds.get(arm).copied().unwrap_or(BuildIndex::BASE),
            run,
            beside: 1.0 + largest_other(asked.runs, arm) as f64 / run.cpu_ns.max(1) as f64,
            builds: asked.builds.len(),
        }
    }
}

impl Program<'_> {
    /// The verdict, what the trace says, and the runs with pauses where those decide nothing.
    fn learn(
        &mut self,
        asked: &Asked<'_>,
        bare: &Solo,
    ) -> Result<(Verdict, Option<String>, Option<Held>), LabError> {
        let habits = match self.rig.trace(self.arm, &Alone::FREE)? {
            Ok(habits) => habits,
            Err(reason) => {
                let verdict = Verdict::Unpinned(format!("what it does is not known: {reason}"));
                return Ok((verdict, None, None));
            }
        };
        let said = said(&habits);
        if let Some(reason) = self.changed_by_trace(&habits, bare)? {
            return Ok((Verdict::Unpinned(reason), said, None));
        }
        // Where there is room for little, one build is looked at: builds of a driver are alike.
        if asked.room.is_for_all() || self.arm == 0 {
            self.refuse_until(asked, &habits, bare)?;
        }
        if asked.pinned && habits.sets_cores {
            let reason = "it sets itself on which cores it runs, whatever it was started on";
            return Ok((Verdict::Unpinned(reason.to_owned()), said, None));
        }
        if asked.pinned
            && let Room::OneWay(lack) = asked.room
            && habits.may_use_cores()
        {
            return Ok((Verdict::Unpinned(lack.of_cores().to_owned()), said, None));
        }
        if asked.pinned && !asked.cpu_time() && habits.may_use_cores() {
            let reason = "the number of cores may matter to it, and the metric is not its CPU time";
            return Ok((Verdict::Unpinned(reason.to_owned()), said, None));
        }
        if asked.pinned
            && let Some(reason) = self.needs_cores(&habits, bare, asked.room.is_for_all())?
        {
            return Ok((Verdict::Unpinned(reason), said, None));
        }
        if !asked.slices {
            return Ok((Verdict::Sliceable, said, None));
        }
        Ok(match self.pause(&habits)? {
            Paused::Changed(reason) => (Verdict::Whole(reason), said, None),
            Paused::Held(held) => (Verdict::Sliceable, said, Some(held)),
        })
    }

    /// Why a trace of it says nothing of the program as it is, if so.
    fn changed_by_trace(
        &mut self,
        habits: &Habits,
        bare: &Solo,
    ) -> Result<Option<String>, LabError> {
        if habits.end == End::TimedOut && bare.end != End::TimedOut {
            return Ok(Some(
                "it did not come to its end under a tracer, which slows system calls".to_owned(),
            ));
        }
        if habits.end != bare.end {
            return Ok(Some(format!(
                "it {} under a tracer, and {} without one",
                ended(habits.end),
                ended(bare.end)
            )));
        }
        if habits.printed == bare.printed || self.prints_anew(bare)? {
            return Ok(None);
        }
        Ok(Some(
            "it prints something else under a tracer than without one".to_owned(),
        ))
    }

    /// Whether an undisturbed run prints something else each time.
    fn prints_anew(&mut self, bare: &Solo) -> Result<bool, LabError> {
        Ok(self.alone(&Alone::FREE)?.printed != bare.printed)
    }

    fn alone(&mut self, how: &Alone) -> Result<Solo, LabError> {
        self.rig.alone(self.arm, how)
    }
}

/// `makes 2 threads, asks for the number of cores, has a timer of 60 ms`; nothing of a program that
/// does nothing of the kind.
fn said(habits: &Habits) -> Option<String> {
    let counted = |count: u64, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("makes one {one}")),
        _ => Some(format!("makes {count} {many}")),
    };
    let all = [
        counted(habits.threads, "thread", "threads"),
        counted(habits.processes, "process", "processes"),
        habits
            .asks_cores
            .then(|| "asks for the number of cores".to_owned()),
        habits
            .sets_cores
            .then(|| "sets on which cores it runs".to_owned()),
        habits
            .timer_ns
            .map(|ns| format!("has a timer of {} of real time", ms(ns))),
        habits.limits_ns.map(|(shortest, longest)| {
            if shortest == longest {
                format!("waits for {} at most", ms(shortest))
            } else {
                format!("waits for {} to {} at most", ms(shortest), ms(longest))
            }
        }),
        match habits.sleeps {
            0 => None,
            1 => Some("sleeps once".to_owned()),
            many => Some(format!("sleeps {many} times")),
        },
        habits
            .unseen
            .then(|| "uses io_uring, which a trace does not see".to_owned()),
    ];
    let all: Vec<String> = all.into_iter().flatten().collect();
    (!all.is_empty()).then(|| all.join(", "))
}

fn ended(end: End) -> String {
    match end {
        End::Exited(status) => format!("exits with {status}"),
        End::Signalled(signal) => format!("is killed by signal {signal}"),
        End::TimedOut => "does not end".to_owned(),
    }
}

/// Nanoseconds for people.
fn ms(ns: u64) -> String {
    let ms = ns as f64 / 1e6;
    if ms < 10.0 {
        format!("{ms:.2} ms")
    } else if ms < 1000.0 {
        format!("{ms:.0} ms")
    } else {
        format!("{:.1} s", ms / 1e3)
    }
}

/// So many standard errors of a median are taken for noise.
const NOISE: f64 = 2.0;

/// The middle of ln(b ÷ a), where it stands out of its own noise by more than `floor`. Both numbers
/// of a pair are of one round.
fn moved(pairs: &[(u64, u64)], floor: f64) -> Option<f64> {
    let all: Vec<f64> = pairs.iter().map(|&(a, b)| apart(a, b)).collect();
    moved_by(&all, floor)
}

/// ln(b ÷ a).
fn apart(a: u64, b: u64) -> f64 {
    (b.max(1) as f64 / a.max(1) as f64).ln()
}

/// The middle of numbers on the scale of ln, where it stands out of their noise by more than
/// `floor`.
fn moved_by(apart: &[f64], floor: f64) -> Option<f64> {
    let middle = median(apart)?;
    let distances: Vec<f64> = apart.iter().map(|each| (each - middle).abs()).collect();
    // 1.4826 times the median distance from the median is a standard deviation that one disturbed
    // round does not decide; a median's error is 1.2533 times that of a mean. A few rounds may
    // agree by chance, so that the plain spread of few counts as well.
    let robust = 1.4826 * median(&distances)?;
    let deviation = if apart.len() < 5 {
        spread(apart).unwrap_or(0.0)
    } else {
        robust
    };
    let error = 1.2533 * deviation / (apart.len() as f64).sqrt();
    (middle.abs() > floor + NOISE * error).then_some(middle)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_difference_must_stand_out_of_its_noise() {
        let micro = |ratio: f64| Duration::from_secs_f64(ratio).as_micros();
        let pairs = |ratios: &[f64]| -> Vec<(u64, u64)> {
            let one = |&ratio: &f64| (1_000_000, u64::try_from(micro(ratio)).unwrap());
            ratios.iter().map(one).collect()
        };
        assert!(moved(&pairs(&[1.3, 1.31, 1.29, 1.3, 1.3, 1.32]), 0.05).is_some());
        assert!(moved(&pairs(&[1.04, 1.03, 1.04, 1.04, 1.05, 1.03]), 0.05).is_none());
        // A median beyond the floor, of numbers all over the place.
        assert!(moved(&pairs(&[0.8, 1.3, 1.1, 0.9, 1.4, 1.1]), 0.05).is_none());
        // One disturbed round of several decides nothing.
        assert!(moved(&pairs(&[1.0, 1.0, 9.0, 1.01, 0.99, 1.0]), 0.05).is_none());
        let halved = moved(&pairs(&[0.5, 0.52, 0.48]), 0.1).unwrap();
        assert!((halved - 0.5_f64.ln()).abs() < 0.01);
        assert!(moved(&[], 0.1).is_none());
    }
}
