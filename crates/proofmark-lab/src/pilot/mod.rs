//! The pilot: how the runs of a block should share the machine, and how many rounds a block needs. Its runs are never counted.

mod choice;
mod program;
mod rounds;
mod trial;

use proofmark_evidence::record::{ArmRef, Experiment, Pilot, Run, Schedule, Shift};
use proofmark_stats::{Looks, resolvable};

use crate::LabError;
use crate::arms::{arms_of, build_of, main_arm, of_builds};
use crate::certificate::{taxed_ns, taxing};
use crate::draws::Draws;
use crate::groups::{Way, groups};
use crate::observer::{Event, Observer};
use crate::rig::Rig;
use choice::{check, choose, unsliceable};
use program::{Asked, Learnt, Verdict, learn};
use rounds::Known;
pub(crate) use rounds::rounds_expected;
use trial::Rounds;

/// With more CPU time than this share of its wall time, a run uses several threads.
const SEVERAL_THREADS: f64 = 1.1;

/// With less CPU time than this share of its wall time, and this many waits, a run waits for much of its time. The share alone would take
/// a busy machine for a program that waits.
const WAITING: (f64, u64) = (0.5, 5);

/// What kind of program it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nature {
    /// One thread that computes.
    Busy,
    /// Several threads or processes at once.
    Parallel,
    /// Waits for much of its time.
    Waiting,
}

/// Tries the ways of scheduling on one block of images of some builds and chooses. Effects are held against the first of them.
///
/// # Errors
///
/// When an image cannot be made or a run fails.
pub(crate) fn pilot(
    rig: &mut dyn Rig,
    experiment: &Experiment,
    builds: &[u32],
    observer: &mut dyn Observer,
) -> Result<Pilot, LabError> {
    observer.tell(&Event::Preparing("images and pilot"));
    let arms: Vec<ArmRef> = builds
        .iter()
        .map(|&build| main_arm(experiment, build))
        .collect();
    let mut placed = arms.clone();
    placed.push(ArmRef::Idle);
    rig.place(None, &placed)?;
    let mut rounds = Rounds::new(rig, Draws::new(experiment.seed), arms.len());
    // The first round warms caches and is thrown away; the second one tells what kind of program it is. Both are free to use all cores,
    // so that a program with several threads shows.
    rounds.rig.pin(false);
    rounds.warm()?;
    let first = rounds.whole()?;
    let nature = nature(&first, &rounds.waits);
    let learnt = learnt(rounds.rig, experiment, nature, builds, &first)?;
    rounds.rig.pin(pinned(experiment, nature, &learnt.verdict));
    let core = rounds.rig.core();
    let all_arms = of_builds(arms_of(experiment), builds);
    let choice = choose(&mut rounds, experiment, nature, &all_arms, &learnt.verdict)?;
    let cpu_ns = rounds.cpu_ns();
    let cost = Cost {
        experiment,
        arms: &all_arms,
        cpu_ns: &by_build(experiment, builds, &cpu_ns, 0),
        idle_loops: choice.idle_loops,
    };
    let round_ns = cost.round_ns(choice.schedule, rounds.by_the_clock(choice.schedule));
    let known = Known {
        spread: choice.spread,
        round_ns,
        images_ns: rounds.rig.images_ns(),
    };
    let rounds = rounds::rounds(&experiment.design, known);
    let block_spread = choice
        .spread
        .map(|spread| spread / f64::from(rounds).sqrt());
    Ok(Pilot {
        schedule: choice.schedule,
        reason: choice.reason,
        rounds,
        check: check(choice.schedule, rounds, choice.idle_loops),
        shifts: shifts_by_build(experiment, builds, &choice.shifts),
        program: learnt.observations,
        core,
        spread: block_spread,
        resolvable: block_spread
            .map(|spread| within_reach(experiment, spread, round_ns * u64::from(rounds)))
            .transpose()?,
        cpu_ns: by_build(experiment, builds, &cpu_ns, 0),
    })
}

/// What the rounds of a block cost.
struct Cost<'a> {
    experiment: &'a Experiment,
    arms: &'a [ArmRef],
    /// CPU time of a run of each build, in nanoseconds.
    cpu_ns: &'a [u64],
    idle_loops: u64,
}

/// The cost of a round is that of a block of so many, divided among them: some of a block's rounds are
/// as many whatever the noise.
const USUAL_ROUNDS: u32 = 4;

impl Cost<'_> {
    /// Time by the clock of one round of a verdict with all that a block measures beside it, in
    /// nanoseconds; `by_the_clock` is the time of a run as a multiple of its CPU time.
    fn round_ns(&self, schedule: Schedule, by_the_clock: f64) -> u64 {
        let mut arms = self.arms.to_vec();
        let base_ns = self.cpu_ns.first().copied().unwrap_or(0);
        let taxed = taxing(self.experiment, base_ns).and_then(Result::ok);
        arms.extend(taxed.map(|_| ArmRef::Taxed));
        let way = Way {
            schedule,
            rounds: USUAL_ROUNDS,
            check: check(schedule, USUAL_ROUNDS, self.idle_loops),
        };
        arms.extend(way.check.map(|_| ArmRef::Idle));
        let groups = groups(self.experiment, &way, &arms);
        let runs = groups.iter().flat_map(|group| &group.arms);
        let spent = |&arm: &usize| match arms.get(arm) {
            Some(ArmRef::Taxed) => taxed_ns(self.experiment, base_ns),
            Some(&arm) => {
                let build = build_of(arm).unwrap_or(0);
                self.cpu_ns.get(build as usize).copied().unwrap_or(0)
            }
            None => 0,
        };
        let busy_ns: u64 = runs.map(spent).sum();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a sum of times, which saturates"
        )]
        let round_ns = (busy_ns as f64 * by_the_clock / f64::from(USUAL_ROUNDS)) as u64;
        round_ns
    }
}

/// What is to be known of the programs before their runs are shared out.
fn learnt(
    rig: &mut dyn Rig,
    experiment: &Experiment,
    nature: Nature,
    builds: &[u32],
    runs: &[Run],
) -> Result<Learnt, LabError> {
    let shortest = runs.iter().map(|run| run.cpu_ns).min().unwrap_or(0);
    let asked_for_whole = experiment.design.schedule == Some(Schedule::Interleaved);
    learn(
        rig,
        Asked {
            builds,
            runs,
            pinned: nature != Nature::Parallel,
            slices: !asked_for_whole && unsliceable(experiment, nature, shortest).is_none(),
        },
    )
}

/// Whether runs are kept on one core: always where slices are asked for, which are taken on one.
fn pinned(experiment: &Experiment, nature: Nature, verdict: &Verdict) -> bool {
    let sliced = matches!(experiment.design.schedule, Some(Schedule::Sliced { .. }));
    sliced || (nature != Nature::Parallel && !matches!(verdict, Verdict::Unpinned(_)))
}

/// What was found of some builds, in the places of all; `absent` for those that sat out.
fn by_build<T: Copy>(experiment: &Experiment, builds: &[u32], found: &[T], absent: T) -> Vec<T> {
    let mut all = vec![absent; experiment.builds.len()];
    for (&build, &value) in builds.iter().zip(found) {
        if let Some(place) = all.get_mut(build as usize) {
            *place = value;
        }
    }
    all
}

/// Shifts of all builds but the base; none of a build that sat out or that the others were held against.
fn shifts_by_build(experiment: &Experiment, builds: &[u32], found: &[Shift]) -> Vec<Shift> {
    if found.is_empty() {
        return Vec::new();
    }
    let none = Shift {
        estimate: 0.0,
        error: 0.0,
    };
    let later = builds.get(1..).unwrap_or_default();
    by_build(experiment, later, found, none).split_off(1)
}

/// What the runs of an undisturbed round tell of the program.
fn nature(runs: &[Run], waits: &[u64]) -> Nature {
    let busy = |run: &Run| run.cpu_ns as f64 / run.wall_ns.max(1) as f64;
    if runs.iter().any(|run| busy(run) > SEVERAL_THREADS) {
        return Nature::Parallel;
    }
    let (share, often) = WAITING;
    let waiting = |(run, &waits): (&Run, &u64)| busy(run) < share && waits >= often;
    if runs.iter().zip(waits).any(waiting) {
        Nature::Waiting
    } else {
        Nature::Busy
    }
}

/// The smallest relative effect that the blocks within budget tell from none, from the rounds' noise alone.
fn within_reach(experiment: &Experiment, spread: f64, block_ns: u64) -> Result<f64, LabError> {
    let design = &experiment.design;
    let comparisons =
        u32::try_from(experiment.builds.len().saturating_sub(1).max(1)).unwrap_or(u32::MAX);
    let looks = Looks::new(
        design.confidence,
        design.min_blocks,
        design.max_blocks,
        comparisons,
    )
    .map_err(|error| LabError::Plan(error.to_string()))?;
    let affordable = design
        .budget_ms
        .map_or(u64::from(design.max_blocks), |budget| {
            budget * 1_000_000 / block_ns.max(1)
        });
    Ok(resolvable(
        spread,
        u32::try_from(affordable).unwrap_or(u32::MAX),
        &looks,
    ))
}
