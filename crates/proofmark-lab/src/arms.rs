//! Which images take part in a block, and whose numbers are held against whose.

use proofmark_evidence::record::{ArmRef, Block, Experiment, LayoutControl};

/// The arms of every block of an experiment; [`crate::arms_in`] has those of one block.
#[must_use]
pub fn arms_of(experiment: &Experiment) -> Vec<ArmRef> {
    let builds = 0..u32::try_from(experiment.builds.len()).unwrap_or(u32::MAX);
    let shipped = builds.clone().map(|build| ArmRef::AsShipped { build });
    let controlled = !matches!(experiment.layouts, LayoutControl::AsShipped { .. });
    let mut arms: Vec<ArmRef> = Vec::new();
    if controlled {
        arms.extend(builds.map(|build| ArmRef::Drawn { build }));
    }
    if !controlled || experiment.design.as_shipped {
        arms.extend(shipped);
    }
    arms
}

/// The build that an arm runs.
#[must_use]
pub(crate) fn build_of(arm: ArmRef) -> u32 {
    match arm {
        ArmRef::Drawn { build } | ArmRef::AsShipped { build } => build,
        ArmRef::Taxed => 0,
    }
}

/// Those arms that run one of these builds.
#[must_use]
pub(crate) fn of_builds(mut arms: Vec<ArmRef>, builds: &[u32]) -> Vec<ArmRef> {
    arms.retain(|&arm| builds.contains(&build_of(arm)));
    arms
}

/// All builds of an experiment.
pub(crate) fn all_builds(experiment: &Experiment) -> Vec<u32> {
    (0..u32::try_from(experiment.builds.len()).unwrap_or(u32::MAX)).collect()
}

/// The arm that stands for a build in the comparison: in a drawn layout where there is one, as shipped otherwise.
#[must_use]
pub fn main_arm(experiment: &Experiment, build: u32) -> ArmRef {
    match experiment.layouts {
        LayoutControl::AsShipped { .. } => ArmRef::AsShipped { build },
        LayoutControl::Matched { .. }
        | LayoutControl::Jittered { .. }
        | LayoutControl::Independent { .. } => ArmRef::Drawn { build },
    }
}

/// The values of one arm in a block, by round; `None` when it took no part.
#[must_use]
pub fn values(block: &Block, arm: ArmRef) -> Option<Vec<f64>> {
    let index = block.arms.iter().position(|&each| each == arm)?;
    block
        .rounds
        .iter()
        .map(|round| round.runs.get(index).map(|run| run.value))
        .collect()
}
