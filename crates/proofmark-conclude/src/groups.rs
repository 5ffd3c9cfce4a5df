//! What the rounds of a block are: which arms run side by side, how, and how often.
//!
//! Arms that take slices on one core share its caches and stretch each other's time. So two arms
//! share slices only where one is held against the other, and never more than two. Whole runs
//! disturb each other little: a round of them has all arms.
//!
//! What slices do all the same is watched in every block. Shorter slices show what grows with their
//! number. What a build loses to its neighbour's caches at once, and so at any length, shows beside
//! a program that leaves the caches alone. Whole runs show everything, above their noise.

use proofmark_evidence::record::{ArmRef, Experiment, Schedule};
use proofmark_terms::BuildIndex;

use crate::arms::main_arm;
use crate::scheme::Scheme;

/// Fewest rounds in which a build in the block's layout is held against the same build as shipped:
/// they tell how much of a difference is placement, and two show the rounds' own noise.
const ANCHORS: u32 = 2;

/// Arms that run side by side in one round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Indices into the arms of the block.
    pub arms: Vec<usize>,
    /// How their runs share the machine.
    pub schedule: Schedule,
}

/// The rounds of a block of these arms, kind by kind; the order in which they are measured is
/// drawn.
#[must_use]
pub fn groups(experiment: &Experiment, way: &Scheme, arms: &[ArmRef]) -> Vec<Group> {
    if way.schedule == Schedule::Interleaved {
        let whole = Group {
            arms: (0..arms.len()).collect(),
            schedule: way.schedule,
        };
        return vec![whole; way.rounds as usize];
    }
    let mut groups = Vec::new();
    for Kind { pair, rounds } in kinds(experiment, way, arms) {
        let many = |schedule: Schedule, count: u32| {
            let group = Group {
                arms: pair.to_vec(),
                schedule,
            };
            std::iter::repeat_n(group, count as usize)
        };
        for (schedule, count) in rounds {
            groups.extend(many(schedule, count));
        }
    }
    groups
}

/// Two arms that are held against each other, and how often in which way.
struct Kind {
    pair: [usize; 2],
    rounds: Vec<(Schedule, u32)>,
}

fn kinds(experiment: &Experiment, way: &Scheme, arms: &[ArmRef]) -> Vec<Kind> {
    let place = |arm: ArmRef| arms.iter().position(|&each| each == arm);
    let builds = BuildIndex::all(experiment.builds.len());
    // The base, or the first build that takes part where the base does not.
    let against_first = |arm_of: &dyn Fn(BuildIndex) -> ArmRef| -> Vec<[usize; 2]> {
        let mut places = builds.clone().filter_map(|build| place(arm_of(build)));
        let Some(first) = places.next() else {
            return Vec::new();
        };
        places.map(|other| [first, other]).collect()
    };
    let main = |build| main_arm(experiment, build);
    let mut kinds: Vec<Kind> = Vec::new();
    let mut add =
        |pair: [usize; 2], rounds: Vec<(Schedule, u32)>| kinds.push(Kind { pair, rounds });
    for pair in against_first(&main) {
        let mut rounds = vec![(way.schedule, way.rounds)];
        if let Some(check) = way.check {
            rounds.push((check.short(), check.short_rounds));
            rounds.push((Schedule::Interleaved, check.whole_rounds));
        }
        add(pair, rounds);
    }
    if let (Some(check), Some(idle)) = (way.check, place(ArmRef::Idle)) {
        for build in builds.clone().filter_map(|build| place(main(build))) {
            add([idle, build], vec![(way.schedule, check.alone_rounds)]);
        }
    }
    let shipped = |build| ArmRef::AsShipped { build };
    if main(BuildIndex::BASE) != shipped(BuildIndex::BASE) {
        for pair in against_first(&shipped) {
            add(pair, vec![(way.schedule, way.rounds.div_ceil(2))]);
        }
        for build in builds.clone() {
            if let (Some(drawn), Some(shipped)) = (place(main(build)), place(shipped(build))) {
                let rounds = ANCHORS.max(way.rounds.div_ceil(2));
                add([shipped, drawn], vec![(way.schedule, rounds)]);
            }
        }
    }
    if let (Some(base), Some(taxed)) = (place(main(BuildIndex::BASE)), place(ArmRef::Taxed)) {
        add([base, taxed], vec![(way.schedule, way.rounds)]);
    }
    kinds
}
