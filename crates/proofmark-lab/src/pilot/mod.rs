//! The pilot: how the runs of a block should share the machine, and how many rounds a block needs.
//! Its runs are never counted.

mod check;
mod choice;
mod cost;
mod foreseen;
mod judge;
mod limited;
mod nature;
mod program;
mod room;
mod rounds;
mod trial;

use proofmark_conclude::{Draws, arms_of, looks, main_arm, of_builds};
use proofmark_evidence::record::{ArmRef, Experiment, Pilot, Schedule, Shift};
use proofmark_stats::resolvable;
use proofmark_terms::BuildIndex;

use crate::error::LabError;
use crate::observer::{Event, Observer};
use crate::rig::Rig;
use check::check;
use choice::{Asking, choose, unsliceable};
pub(crate) use cost::Allowance;
use cost::{Cost, Needed};
pub(crate) use foreseen::{TracedRun, foreseen};
use judge::Choice;
use limited::Limited;
use nature::{Nature, nature};
use program::{Asked, Learnt, Verdict, learn};
use room::Room;
use rounds::Known;
pub(crate) use rounds::rounds_expected;
use trial::{First, Rounds};

/// Tries the ways of scheduling on one block of images of some builds and chooses. Effects are held
/// against the first of them.
///
/// # Errors
///
/// When an image cannot be made, a run fails, or what may be spent cannot hold the fewest blocks.
pub(crate) fn pilot(
    rig: &mut dyn Rig,
    experiment: &Experiment,
    builds: &[BuildIndex],
    allowance: &Allowance,
    observer: &mut dyn Observer,
) -> Result<Pilot, LabError> {
    let began_ms = rig.now_ms();
    observer.tell(&Event::Preparing("images and pilot"));
    let piloted = Piloted {
        experiment,
        builds,
        allowance,
        arms: of_builds(arms_of(experiment), builds),
    };
    let rig: &mut dyn Rig = &mut Limited {
        rig,
        budget: allowance.budget,
    };
    let mut rounds = piloted.placed(rig)?;
    let seen = piloted.seen_once(&mut rounds)?;
    let learnt = piloted.learnt(&mut rounds, &seen)?;
    let core = rounds.rig.core();
    let choice = piloted.chosen(&mut rounds, &seen, &learnt)?;
    let block = piloted.block(&mut rounds, &seen, &choice)?;
    Ok(Pilot {
        schedule: choice.schedule,
        reason: choice.reason,
        rounds: block.rounds,
        check: check(choice.schedule, block.rounds, choice.idle_loops),
        shifts: shifts_by_build(experiment, builds, &choice.shifts),
        program: learnt.observations,
        core,
        spread: block.spread,
        resolvable: block.resolvable,
        cpu_ns: block.cpu_ns,
        company: choice.company,
        block_ms: Some(block.block_ns / 1_000_000),
        took_ms: block.now_ms.saturating_sub(began_ms),
    })
}

/// What is piloted, and what may be spent.
struct Piloted<'a> {
    experiment: &'a Experiment,
    builds: &'a [BuildIndex],
    allowance: &'a Allowance,
    /// All arms that these builds have in a block.
    arms: Vec<ArmRef>,
}

/// What one undisturbed run of each build showed.
struct Seen {
    first: First,
    nature: Nature,
    room: Room,
}

/// The blocks that are measured, as the pilot lays them down.
struct PlannedBlock {
    rounds: u32,
    /// Time by the clock, in nanoseconds.
    block_ns: u64,
    /// CPU time of a run of each build, in nanoseconds.
    cpu_ns: Vec<u64>,
    /// Standard deviation of its ln(new ÷ base), from the noise of its rounds alone.
    spread: Option<f64>,
    /// See [`Pilot::resolvable`].
    resolvable: Option<f64>,
    /// When it was laid down.
    now_ms: u64,
}

impl Piloted<'_> {
    /// One block of images, and the idle program, in their places.
    fn placed<'r>(&self, rig: &'r mut dyn Rig) -> Result<Rounds<'r>, LabError> {
        let main = |&build: &BuildIndex| main_arm(self.experiment, build);
        let mut arms: Vec<ArmRef> = self.builds.iter().map(main).collect();
        arms.push(ArmRef::Idle);
        rig.place(None, &arms)?;
        let draws = Draws::new(self.experiment.seed);
        Ok(Rounds::new(rig, draws, self.builds.len()))
    }

    /// A run of each, and what there is room for after it.
    fn seen_once(&self, rounds: &mut Rounds<'_>) -> Result<Seen, LabError> {
        // Free to use all cores, so that a program with several threads shows.
        rounds.rig.pin(false);
        let first = rounds.first()?;
        let cpu_ns = by_build(self.experiment, self.builds, &first.cpu_ns(), 0);
        let cost = self.cost(&cpu_ns, 1);
        let room = cost.room(self.allowance, rounds.rig.now_ms(), &first.runs)?;
        Ok(Seen {
            nature: nature(&first.told),
            first,
            room,
        })
    }

    /// What the program does that one core, or pauses, would change; runs are kept on one core
    /// from then on where that may be.
    fn learnt(&self, rounds: &mut Rounds<'_>, seen: &Seen) -> Result<Learnt, LabError> {
        let &Seen {
            ref first,
            nature,
            room,
        } = seen;
        let shortest = first.cpu_ns().into_iter().min().unwrap_or(0);
        let asked_for_whole = self.experiment.design.schedule == Some(Schedule::Interleaved);
        let asked = Asked {
            experiment: self.experiment,
            builds: self.builds,
            runs: &first.runs,
            told: &first.told,
            pinned: nature != Nature::Parallel,
            slices: !asked_for_whole
                && room.is_for_all()
                && unsliceable(self.experiment, nature, shortest).is_none(),
            room,
        };
        let learnt = learn(rounds.rig, &asked)?;
        let pinned = pinned(self.experiment, nature, &learnt.verdict);
        rounds.rig.pin(pinned);
        Ok(learnt)
    }

    /// The way of sharing the machine.
    fn chosen(
        &self,
        rounds: &mut Rounds<'_>,
        seen: &Seen,
        learnt: &Learnt,
    ) -> Result<Choice, LabError> {
        let asking = Asking {
            experiment: self.experiment,
            nature: seen.nature,
            arms: &self.arms,
            program: &learnt.verdict,
            room: seen.room,
        };
        choose(rounds, &asking)
    }

    /// How many rounds a block has and what it costs; refused where the budget cannot hold the
    /// fewest.
    fn block(
        &self,
        rounds: &mut Rounds<'_>,
        seen: &Seen,
        choice: &Choice,
    ) -> Result<PlannedBlock, LabError> {
        let (experiment, allowance) = (self.experiment, self.allowance);
        // One round says too little for slices in proportion to it, and is all that there is for
        // what whole runs cost.
        let cpu_ns = match (seen.room, choice.schedule) {
            (Room::OneWay(_), Schedule::Interleaved) => seen.first.cpu_ns(),
            _ => rounds.cpu_ns(),
        };
        let cpu_ns = by_build(experiment, self.builds, &cpu_ns, 0);
        let cost = self.cost(&cpu_ns, choice.idle_loops);
        let by_the_clock = rounds.by_the_clock(choice.schedule);
        let images_ns = rounds.rig.images_ns();
        let now_ms = rounds.rig.now_ms();
        let known = Known {
            spread: choice.spread,
            round_ns: cost.round_ns(choice.schedule, by_the_clock),
            images_ns,
            share_ns: allowance.share_ns(now_ms),
        };
        let rounds = rounds::rounds(&experiment.design, known);
        let block_ns = cost.block_ns(choice.schedule, rounds, by_the_clock);
        let block_ns = block_ns.max(images_ns);
        let all_ns = block_ns.saturating_mul(u64::from(experiment.design.min_blocks));
        let needed_ms = (all_ns / 1_000_000).saturating_add(allowance.owed_ms);
        if !allowance.budget.holds(now_ms, needed_ms) {
            let needed = Needed { block_ns, all_ns };
            let runs = seen.first.runs.iter();
            let walls: Vec<u64> = runs.map(|run| run.wall_ns).collect();
            return Err(cost.refused(allowance, now_ms, &walls, needed));
        }
        let left_ms = allowance.budget.left_ms(now_ms);
        let of_round = choice.spread;
        let spread = of_round.map(|spread| spread / f64::from(rounds).sqrt());
        let within = |spread| within_reach(experiment, spread, block_ns, left_ms);
        Ok(PlannedBlock {
            rounds,
            block_ns,
            spread,
            resolvable: spread.map(within).transpose()?,
            now_ms,
            cpu_ns,
        })
    }

    fn cost<'c>(&'c self, cpu_ns: &'c [u64], idle_loops: u64) -> Cost<'c> {
        Cost {
            experiment: self.experiment,
            arms: &self.arms,
            cpu_ns,
            idle_loops,
        }
    }
}

impl First {
    /// CPU time of each run, in nanoseconds.
    fn cpu_ns(&self) -> Vec<u64> {
        self.runs.iter().map(|run| run.cpu_ns).collect()
    }
}

/// Whether runs are kept on one core: always where slices are asked for, which are taken on one.
fn pinned(experiment: &Experiment, nature: Nature, verdict: &Verdict) -> bool {
    let sliced = matches!(experiment.design.schedule, Some(Schedule::Sliced { .. }));
    sliced || (nature != Nature::Parallel && !matches!(verdict, Verdict::Unpinned(_)))
}

/// What was found of some builds, in the places of all; `absent` for those that sat out.
fn by_build<T: Copy>(
    experiment: &Experiment,
    builds: &[BuildIndex],
    found: &[T],
    absent: T,
) -> Vec<T> {
    let mut all = vec![absent; experiment.builds.len()];
    for (&build, &value) in builds.iter().zip(found) {
        if let Some(place) = all.get_mut(build.place()) {
            *place = value;
        }
    }
    all
}

/// Shifts of all builds but the base; none of a build that sat out or that the others were held
/// against.
fn shifts_by_build(experiment: &Experiment, builds: &[BuildIndex], found: &[Shift]) -> Vec<Shift> {
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

/// The smallest relative effect that the blocks within budget tell from none, from the rounds'
/// noise alone; with the time of a block and what is left of the budget.
fn within_reach(
    experiment: &Experiment,
    spread: f64,
    block_ns: u64,
    left_ms: Option<u64>,
) -> Result<f64, LabError> {
    let design = &experiment.design;
    let comparisons =
        u32::try_from(experiment.builds.len().saturating_sub(1).max(1)).unwrap_or(u32::MAX);
    let looks = looks(design, comparisons)?;
    let affordable = left_ms
        .or(design.budget_ms)
        .map_or(u64::from(design.max_blocks), |left| {
            left.saturating_mul(1_000_000) / block_ns.max(1)
        });
    Ok(resolvable(
        spread,
        u32::try_from(affordable).unwrap_or(u32::MAX),
        &looks,
    ))
}
