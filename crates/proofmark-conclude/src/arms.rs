//! Which images take part in a block, and whose numbers are held against whose.

use proofmark_evidence::record::{ArmRef, Block, Experiment, LayoutControl, Round, Run, Schedule};
use proofmark_terms::{ArmIndex, BuildIndex};

/// The arms of every block of an experiment; [`crate::arms_in`] has those of one block.
#[must_use]
pub fn arms_of(experiment: &Experiment) -> Vec<ArmRef> {
    let builds = BuildIndex::all(experiment.builds.len());
    let shipped = builds.clone().map(|build| ArmRef::AsShipped { build });
    let controlled = experiment.layouts.is_drawn();
    let mut arms: Vec<ArmRef> = Vec::new();
    if controlled {
        arms.extend(builds.map(|build| ArmRef::Drawn { build }));
    }
    if !controlled || experiment.design.as_shipped {
        arms.extend(shipped);
    }
    arms
}

/// The build that an arm runs; none where it is a program of our own.
#[must_use]
pub fn build_of(arm: ArmRef) -> Option<BuildIndex> {
    match arm {
        ArmRef::Drawn { build } | ArmRef::AsShipped { build } => Some(build),
        ArmRef::Taxed => Some(BuildIndex::BASE),
        ArmRef::Idle => None,
    }
}

/// Those arms that run one of these builds, or none.
#[must_use]
pub fn of_builds(mut arms: Vec<ArmRef>, builds: &[BuildIndex]) -> Vec<ArmRef> {
    arms.retain(|&arm| build_of(arm).is_none_or(|build| builds.contains(&build)));
    arms
}

/// All builds of an experiment.
pub fn all_builds(experiment: &Experiment) -> Vec<BuildIndex> {
    BuildIndex::all(experiment.builds.len()).collect()
}

/// The builds that are held against the base.
pub(crate) fn others(experiment: &Experiment) -> impl Iterator<Item = BuildIndex> {
    BuildIndex::all(experiment.builds.len()).skip(1)
}

/// The arm that stands for a build in the comparison: in a drawn layout where there is one, as
/// shipped otherwise.
#[must_use]
pub fn main_arm(experiment: &Experiment, build: BuildIndex) -> ArmRef {
    match experiment.layouts {
        LayoutControl::AsShipped { .. } => ArmRef::AsShipped { build },
        LayoutControl::Drawn { .. } => ArmRef::Drawn { build },
    }
}

/// The values of one arm in the rounds of a block under one schedule; empty where it took no part.
#[must_use]
pub fn values(block: &Block, arm: ArmRef, schedule: Schedule) -> Vec<f64> {
    let Some(index) = place(block, arm) else {
        return Vec::new();
    };
    under(block, schedule)
        .filter_map(|round| round.run_of(index).map(|run| run.value))
        .collect()
}

/// The values of two arms in the rounds of a block that they shared under one schedule: of the
/// first and of the second, round by round; `None` where they shared none.
#[must_use]
pub(crate) fn paired(
    block: &Block,
    arms: [ArmRef; 2],
    schedule: Schedule,
) -> Option<(Vec<f64>, Vec<f64>)> {
    let [first, second] = [place(block, arms[0])?, place(block, arms[1])?];
    let shared = |round: &Round| {
        let (first, second) = (round.run_of(first)?, round.run_of(second)?);
        Some((first.value, second.value))
    };
    let pairs: (Vec<f64>, Vec<f64>) = under(block, schedule).filter_map(shared).unzip();
    (!pairs.0.is_empty()).then_some(pairs)
}

/// The runs of two arms in the rounds of a block that they shared under one schedule.
pub(crate) fn paired_runs(
    block: &Block,
    arms: [ArmRef; 2],
    schedule: Schedule,
) -> impl Iterator<Item = [&Run; 2]> {
    let places = arms.map(|arm| place(block, arm));
    under(block, schedule).filter_map(move |round| {
        let [first, second] = places.map(|place| round.run_of(place?));
        Some([first?, second?])
    })
}

/// The rounds of a block under one schedule.
fn under(block: &Block, schedule: Schedule) -> impl Iterator<Item = &Round> {
    let rounds = block.rounds.iter();
    rounds.filter(move |round| round.schedule == schedule)
}

/// Where an arm stands among those of a block.
pub(crate) fn place(block: &Block, arm: ArmRef) -> Option<ArmIndex> {
    let place = block.arms.iter().position(|&each| each == arm);
    place.map(ArmIndex::at)
}
