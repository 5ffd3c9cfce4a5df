//! One block of an experiment, measured.

use proofmark_conclude::{Draws, Group, RoundAt, Scheme, arms_in, groups, of_builds};
use proofmark_evidence::record::{ArmRef, Block, Experiment, Pilot, Round, Schedule};
use proofmark_terms::{ArmIndex, BuildIndex, Layout};

use super::under_way::UnderWay;
use crate::block::taxed_ns;
use crate::budget::Budget;
use crate::error::LabError;
use crate::rig::{Rig, RoundPlan};

/// What came of a block that was begun.
pub(crate) enum Measured {
    /// All of its rounds.
    Whole(Block),
    /// The budget was spent in its midst; it is kept, and never counted.
    Part(Block),
}

/// A block to be measured.
pub(crate) struct NextBlock<'a> {
    pub(crate) under_way: &'a UnderWay,
    pub(crate) pilot: &'a Pilot,
    /// The builds that take part.
    pub(crate) builds: &'a [BuildIndex],
    pub(crate) budget: &'a Budget,
}

/// Measures the block after those that are there, with some builds. Once the budget is spent no
/// round is begun.
pub(crate) fn measure(next: &NextBlock<'_>, rig: &mut dyn Rig) -> Result<Measured, LabError> {
    let &NextBlock {
        under_way,
        pilot,
        builds,
        ..
    } = next;
    let experiment = &under_way.experiment;
    let index = under_way.done();
    let began_ms = rig.now_ms();
    let arms = of_builds(arms_in(experiment, pilot, index), builds);
    let images = rig.place(Some(index), &arms)?;
    let (rounds, whole) = rounds(next, &arms, rig)?;
    let block = Block {
        index,
        layout: if experiment.layouts.is_drawn() {
            Layout::Drawn {
                seed: Draws::new(experiment.seed).layout_seed(Some(index)),
            }
        } else {
            Layout::AsShipped
        },
        arms,
        images,
        machine: rig.machine(),
        rounds,
        printed: rig.printed().digest,
        began_ms,
        took_ms: rig.now_ms().saturating_sub(began_ms),
    };
    Ok(if whole {
        Measured::Whole(block)
    } else {
        Measured::Part(block)
    })
}

/// The rounds of a block, those that warm up first and left out; and whether the budget sufficed
/// for all of them.
fn rounds(
    next: &NextBlock<'_>,
    arms: &[ArmRef],
    rig: &mut dyn Rig,
) -> Result<(Vec<Round>, bool), LabError> {
    let NextBlock {
        under_way, pilot, ..
    } = next;
    let experiment = &under_way.experiment;
    let index = under_way.done();
    let draws = Draws::new(experiment.seed);
    let cpu_ns = arms
        .iter()
        .map(|arm| expected_cpu(experiment, pilot, *arm))
        .collect::<Vec<u64>>();
    let groups = groups(experiment, &Scheme::of(pilot), arms);
    let all = Group {
        arms: (0..arms.len())
            .filter(|&place| arms[place] != ArmRef::Idle)
            .collect(),
        schedule: Schedule::Interleaved,
    };
    let warmup = std::iter::repeat_n(&all, experiment.benchmark.warmup as usize);
    let drawn = draws.sequence(Some(index), groups.len());
    let counted = drawn.iter().filter_map(|&place| groups.get(place));
    let mut rounds = Vec::new();
    for (round, group) in (0..).zip(warmup.chain(counted)) {
        if next.budget.is_spent(rig.now_ms()) {
            return Ok((rounds, false));
        }
        let at = RoundAt {
            block: Some(index),
            round,
        };
        let order = draws.order(at, &group.arms);
        let runs = rig.round(&RoundPlan {
            at,
            schedule: group.schedule,
            order: &order,
            cpu_ns: &cpu_ns,
            idle_loops: pilot.check.map_or(0, |check| check.idle_loops),
        })?;
        if round >= experiment.benchmark.warmup {
            rounds.push(Round {
                schedule: group.schedule,
                order: order.into_iter().map(ArmIndex::at).collect(),
                runs,
            });
        }
    }
    Ok((rounds, true))
}

/// What the pilot expects one run of an arm to take.
fn expected_cpu(experiment: &Experiment, pilot: &Pilot, arm: ArmRef) -> u64 {
    // A build that sat out the pilot has none.
    let of = |build: BuildIndex| build.of(&pilot.cpu_ns).map_or(1, |&ns| ns.max(1));
    match arm {
        ArmRef::Drawn { build } | ArmRef::AsShipped { build } => of(build),
        ArmRef::Taxed => taxed_ns(experiment, of(BuildIndex::BASE)),
        // Its loops are chosen so.
        ArmRef::Idle => of(BuildIndex::BASE),
    }
}
