//! The pilot: how the runs of a block should share the machine, and how many rounds a block needs.
//! Its runs are never counted.

mod check;
mod choice;
mod cost;
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

use crate::error::LabError;
use crate::observer::{Event, Observer};
use crate::rig::Rig;
use check::check;
use choice::{Asking, choose, unsliceable};
pub(crate) use cost::Allowance;
use cost::{Cost, Needed};
use limited::Limited;
use nature::{Nature, nature};
use program::{Asked, Verdict, learn};
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
    builds: &[u32],
    allowance: &Allowance,
    observer: &mut dyn Observer,
) -> Result<Pilot, LabError> {
    let rig: &mut dyn Rig = &mut Limited {
        rig,
        budget: allowance.budget,
    };
    let began_ms = rig.now_ms();
    observer.tell(&Event::Preparing("images and pilot"));
    let arms: Vec<ArmRef> = builds
        .iter()
        .map(|&build| main_arm(experiment, build))
        .collect();
    let mut placed = arms.clone();
    placed.push(ArmRef::Idle);
    rig.place(None, &placed)?;
    let mut rounds = Rounds::new(rig, Draws::new(experiment.seed), arms.len());
    // Free to use all cores, so that a program with several threads shows.
    rounds.rig.pin(false);
    let First { runs: first, told } = rounds.first()?;
    let nature = nature(&told);
    let all_arms = of_builds(arms_of(experiment), builds);
    let once_ns: Vec<u64> = first.iter().map(|run| run.cpu_ns).collect();
    let room = Cost {
        experiment,
        arms: &all_arms,
        cpu_ns: &by_build(experiment, builds, &once_ns, 0),
        idle_loops: 1,
    }
    .room(allowance, rounds.rig.now_ms(), &first)?;
    let shortest = once_ns.iter().copied().min().unwrap_or(0);
    let asked_for_whole = experiment.design.schedule == Some(Schedule::Interleaved);
    let asked = Asked {
        builds,
        runs: &first,
        told: &told,
        pinned: nature != Nature::Parallel,
        slices: !asked_for_whole
            && room.is_for_all()
            && unsliceable(experiment, nature, shortest).is_none(),
        room,
    };
    let learnt = learn(rounds.rig, &asked)?;
    rounds.rig.pin(pinned(experiment, nature, &learnt.verdict));
    let core = rounds.rig.core();
    let asking = Asking {
        experiment,
        nature,
        arms: &all_arms,
        program: &learnt.verdict,
        room,
    };
    let choice = choose(&mut rounds, &asking)?;
    // One round says too little for slices in proportion to it, and is all that there is for what
    // whole runs cost.
    let cpu_ns = match (room, choice.schedule) {
        (Room::OneWay(_), Schedule::Interleaved) => once_ns,
        _ => rounds.cpu_ns(),
    };
    let cpu_ns = by_build(experiment, builds, &cpu_ns, 0);
    let cost = Cost {
        experiment,
        arms: &all_arms,
        cpu_ns: &cpu_ns,
        idle_loops: choice.idle_loops,
    };
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
    let block_ns = cost
        .block_ns(choice.schedule, rounds, by_the_clock)
        .max(images_ns);
    let needed_ns = block_ns.saturating_mul(u64::from(experiment.design.min_blocks));
    let needed_ms = (needed_ns / 1_000_000).saturating_add(allowance.owed_ms);
    if !allowance.budget.holds(now_ms, needed_ms) {
        let needed = Needed {
            block_ns,
            all_ns: needed_ns,
        };
        return Err(cost.refused(allowance, now_ms, &first, needed));
    }
    let block_spread = choice
        .spread
        .map(|spread| spread / f64::from(rounds).sqrt());
    let left_ms = allowance.budget.left_ms(now_ms);
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
            .map(|spread| within_reach(experiment, spread, block_ns, left_ms))
            .transpose()?,
        cpu_ns,
        company: choice.company,
        block_ms: Some(block_ns / 1_000_000),
        took_ms: now_ms.saturating_sub(began_ms),
    })
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

/// Shifts of all builds but the base; none of a build that sat out or that the others were held
/// against.
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
