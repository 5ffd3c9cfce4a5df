//! Programs that use several cores at once, by what was found of them and by their runs.

use proofmark_evidence::record::{ArmRef, Block, Experiment, Pilot, Run, Schedule, Warning};
use proofmark_stats::median;
use proofmark_terms::{ArmIndex, BuildIndex};

use crate::arms::build_of;
use crate::name::name;
use crate::times::SHORT_NS;

/// A run with more CPU time than this share of its wall time uses several cores.
const SEVERAL: f64 = 1.1;

/// The build whose runs may use several cores at once, and what was found of it; `None` where runs
/// were kept on one, or none of them makes use of more.
pub(crate) fn at_once(
    experiment: &Experiment,
    pilot: &Pilot,
    blocks: &[Block],
) -> Option<(String, String)> {
    if pilot.core.is_some() || pilot.schedule != Schedule::Interleaved {
        return None;
    }
    let known = pilot.program.iter().find(|found| found.decides);
    if let Some(found) = known {
        let build = name(experiment, found.build).to_owned();
        return Some((build, found.found.clone()));
    }
    let several = |build: BuildIndex| {
        let runs = blocks.iter().flat_map(|block| runs_of(block, build));
        let busy: Vec<f64> = runs
            .map(|run| run.cpu_ns as f64 / run.wall_ns.max(1) as f64)
            .collect();
        median(&busy).is_some_and(|busy| busy > SEVERAL)
    };
    let build = BuildIndex::all(experiment.builds.len()).find(|&build| several(build))?;
    Some((
        name(experiment, build).to_owned(),
        "its threads or processes run at the same time".to_owned(),
    ))
}

/// All runs of a build that pay no tax.
fn runs_of(block: &Block, build: BuildIndex) -> impl Iterator<Item = &Run> {
    let runs = block
        .rounds
        .iter()
        .flat_map(|round| round.order.iter().zip(&round.runs));
    let of_build = move |arm: ArmIndex| {
        let arm = arm.of(&block.arms);
        arm.is_some_and(|&arm| arm != ArmRef::Taxed && build_of(arm) == Some(build))
    };
    runs.filter_map(move |(&arm, run)| of_build(arm).then_some(run))
}

/// Runs that may use several cores, and are over before it is settled on which.
pub(crate) fn brief(experiment: &Experiment, pilot: &Pilot, blocks: &[Block]) -> Option<Warning> {
    at_once(experiment, pilot, blocks)?;
    // Builds that sat out the pilot have none.
    let shortest = pilot.cpu_ns.iter().copied().filter(|&ns| ns > 0).min()?;
    (shortest < SHORT_NS).then_some(Warning::BriefThreads { cpu_ns: shortest })
}
