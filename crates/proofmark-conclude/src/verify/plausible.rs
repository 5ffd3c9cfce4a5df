//! Samples held against their plan, and against what a machine can do.
//!
//! None of this proves that a run took place. It finds samples that were copied, rounded or put
//! together by hand, and such as do not belong to the plan that they stand in.

use std::collections::HashSet;

use proofmark_evidence::Recorded;
use proofmark_evidence::record::{ArmRef, Block, Build, Experiment, Pilot, Run, Schedule};
use proofmark_terms::{BuildIndex, Digest, Layout, Metric};

use crate::arms::{all_builds, main_arm, of_builds};
use crate::certificate::arms_in;
use crate::draws::{Draws, RoundAt};
use crate::groups::groups;
use crate::scheme::Scheme;

/// So many runs must be there before anything is said of their digits.
const ENOUGH: usize = 16;

/// Clocks count nanoseconds. By chance so many wall times are never all whole microseconds.
const COARSE_NS: u64 = 1000;

/// What in the samples of an experiment no measurement would have given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Implausible {
    /// A block's layouts were not drawn from the experiment's seed.
    Layout {
        /// Its index.
        block: u32,
    },
    /// Beside the builds that take part in a block there is more than its plan has, or less: images
    /// as shipped, the base slowed on purpose, the program that leaves caches alone.
    Arms {
        /// The block's index.
        block: u32,
    },
    /// A build of a matrix is missing, of which something was open, and that had not failed.
    Absent {
        /// The block's index.
        block: u32,
        /// The build.
        build: BuildIndex,
    },
    /// A block has more or fewer rounds than its plan.
    Rounds {
        /// The block's index.
        block: u32,
    },
    /// The runs of a round are not those of the plan, or did not start in the order that the seed
    /// gives.
    Order {
        /// The block's index.
        block: u32,
        /// The round within it, from 0.
        round: u32,
    },
    /// A block began before the one in front of it had ended, or before the experiment.
    Early {
        /// Its index.
        block: u32,
    },
    /// The runs of a block took longer than the block.
    Crowded {
        /// Its index.
        block: u32,
    },
    /// All runs of a round have the times of another round, to the nanosecond.
    Repeated {
        /// The block's index.
        block: u32,
        /// The round within it, from 0.
        round: u32,
    },
    /// The value of a run is not the time, or the memory, that stands beside it.
    Value {
        /// The block's index.
        block: u32,
        /// The round within it, from 0.
        round: u32,
    },
    /// An arm is of a build that the experiment has not.
    Stranger {
        /// The block's index.
        block: u32,
    },
    /// An arm that is as shipped ran the image of another build.
    Image {
        /// The block's index.
        block: u32,
    },
    /// The wall times of all runs are whole microseconds.
    Rounded,
}

/// What in the samples of an experiment no measurement would have given.
pub(super) fn implausible(recorded: &Recorded) -> Vec<Implausible> {
    let experiment = &recorded.experiment;
    let mut found: Vec<Implausible> = Vec::new();
    let mut seen: HashSet<Vec<(u64, u64)>> = HashSet::new();
    let mut free_ms = experiment.began_ms;
    for block in &recorded.blocks {
        found.extend(of_plan(experiment, recorded.pilot.as_ref(), block));
        if block.began_ms < free_ms {
            found.push(Implausible::Early { block: block.index });
        }
        free_ms = block.began_ms.saturating_add(block.took_ms);
        // A clock of milliseconds may lose one in each round.
        let rounds = block.rounds.len() as u64;
        if wall_ms(block) > block.took_ms.saturating_add(rounds) {
            found.push(Implausible::Crowded { block: block.index });
        }
        for (round, runs) in (0..).zip(block.rounds.iter().map(|round| &round.runs)) {
            let block = block.index;
            let times: Vec<(u64, u64)> = runs.iter().map(|run| (run.cpu_ns, run.wall_ns)).collect();
            if !seen.insert(times) {
                found.push(Implausible::Repeated { block, round });
            }
            if !runs
                .iter()
                .all(|run| agrees(&experiment.benchmark.metric, run))
            {
                found.push(Implausible::Value { block, round });
            }
        }
    }
    let mut walls = recorded
        .blocks
        .iter()
        .flat_map(|block| &block.rounds)
        .flat_map(|round| &round.runs)
        .map(|run| run.wall_ns)
        .peekable();
    if walls.peek().is_some() {
        let all: Vec<u64> = walls.collect();
        if all.len() >= ENOUGH && all.iter().all(|wall| wall % COARSE_NS == 0) {
            found.push(Implausible::Rounded);
        }
    }
    found
}

/// What in a block does not follow from the plan.
fn of_plan(experiment: &Experiment, pilot: Option<&Pilot>, block: &Block) -> Vec<Implausible> {
    let mut found = Vec::new();
    let draws = Draws::new(experiment.seed);
    let index = block.index;
    let drawn = if experiment.layouts.is_drawn() {
        Layout::Drawn {
            seed: draws.layout_seed(Some(index)),
        }
    } else {
        Layout::AsShipped
    };
    if block.layout != drawn {
        found.push(Implausible::Layout { block: index });
    }
    let known = |arm: &ArmRef| match arm {
        ArmRef::Drawn { build } | ArmRef::AsShipped { build } => {
            build.of(&experiment.builds).is_some()
        }
        ArmRef::Taxed | ArmRef::Idle => true,
    };
    if !block.arms.iter().all(known) {
        found.push(Implausible::Stranger { block: index });
    }
    if !are_their_own(experiment, block) {
        found.push(Implausible::Image { block: index });
    }
    let Some(pilot) = pilot else {
        return found;
    };
    let takes_part = |build: &BuildIndex| block.arms.contains(&main_arm(experiment, *build));
    let builds: Vec<BuildIndex> = all_builds(experiment)
        .into_iter()
        .filter(takes_part)
        .collect();
    if block.arms != of_builds(arms_in(experiment, pilot, index), &builds) {
        found.push(Implausible::Arms { block: index });
    }
    let groups = groups(experiment, &Scheme::of(pilot), &block.arms);
    if block.rounds.len() != groups.len() {
        found.push(Implausible::Rounds { block: index });
        return found;
    }
    let planned = draws.sequence(Some(index), groups.len());
    let planned = planned.iter().filter_map(|&place| groups.get(place));
    for ((number, round), group) in (0..).zip(&block.rounds).zip(planned) {
        let at = RoundAt {
            block: Some(index),
            round: number + experiment.benchmark.warmup,
        };
        let order: Vec<usize> = round.order.iter().map(|arm| arm.place()).collect();
        if round.schedule != group.schedule || order != draws.order(at, &group.arms) {
            found.push(Implausible::Order {
                block: index,
                round: number,
            });
        }
    }
    found
}

/// Whether no arm that is as shipped ran the image of another build. One that no build has may be
/// its own: of a build that is kept several times, the first image alone is recorded.
fn are_their_own(experiment: &Experiment, block: &Block) -> bool {
    let is_of = |build: &Build, image: &Digest| {
        let images = &build.images;
        let mut files = images.libraries.iter().chain([&images.program]);
        files.any(|file| file.digest == *image)
    };
    block.arms.iter().zip(&block.images).all(|(arm, image)| {
        let ArmRef::AsShipped { build: index } = arm else {
            return true;
        };
        let builds = &experiment.builds;
        let is_own = index.of(builds).is_some_and(|build| is_of(build, image));
        is_own || !builds.iter().any(|build| is_of(build, image))
    })
}

/// Wall time of the rounds of a block, in milliseconds: those that run one after the other add up.
fn wall_ms(block: &Block) -> u64 {
    let of_round = |round: &proofmark_evidence::record::Round| -> u64 {
        let walls = round.runs.iter().map(|run| run.wall_ns);
        match round.schedule {
            Schedule::Interleaved => walls.fold(0, u64::saturating_add),
            Schedule::Sliced { .. } => walls.max().unwrap_or(0),
        }
    };
    let rounds = block.rounds.iter().map(of_round);
    rounds.fold(0, u64::saturating_add) / 1_000_000
}

/// Whether a run's value is what stands beside it, where the metric is one of these.
fn agrees(metric: &Metric, run: &Run) -> bool {
    let beside = match metric {
        Metric::CpuTime => run.cpu_ns,
        Metric::WallTime => run.wall_ns,
        Metric::PeakMemory => run.peak_bytes,
        Metric::Output { .. } => return true,
    };
    #[expect(
        clippy::cast_precision_loss,
        reason = "the value is such a number as well"
    )]
    let beside = beside as f64;
    (run.value - beside).abs() <= 1.0
}
