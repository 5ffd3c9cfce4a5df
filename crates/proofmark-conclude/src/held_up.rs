//! Runs that the machine held up, of a program that does other things then.

use proofmark_evidence::record::{Block, Experiment, HeldUp, Pilot, Schedule, Warning};
use proofmark_terms::ArmIndex;

use crate::at_once::at_once;
use crate::name::name;

/// A run was held up when its wall time is so many times its CPU time as that of the least
/// disturbed run of its arm, and this much more.
const HELD: f64 = 1.5;

/// So many of the runs may be.
const FEW: f64 = 0.1;

/// What goes by the clock goes by the machine's load as well, and so do threads that meet: such a
/// ratio is that of a busy machine. Of a program that was found to do the same whatever is done to
/// it, and of runs in slices, nobody has to know.
pub(crate) fn held_up(experiment: &Experiment, pilot: &Pilot, blocks: &[Block]) -> Option<Warning> {
    if pilot.schedule != Schedule::Interleaved {
        return None;
    }
    let known = pilot.program.iter().find(|found| found.decides);
    let known = known.map(|found| {
        let build = name(experiment, found.build).to_owned();
        (build, found.found.clone())
    });
    let (build, found) = known.or_else(|| at_once(experiment, pilot, blocks))?;
    let share = share(blocks)?;
    (share > FEW).then_some(Warning::HeldUp(HeldUp {
        share,
        build,
        found,
    }))
}

/// The share of whole runs that were held up, each held against the others of its arm; `None`
/// without runs.
fn share(blocks: &[Block]) -> Option<f64> {
    let arms = blocks.iter().map(|block| block.arms.len()).max()?;
    let stretches: Vec<Vec<f64>> = ArmIndex::all(arms)
        .map(|arm| blocks.iter().flat_map(|block| of_arm(block, arm)).collect())
        .collect();
    let mut held = 0_usize;
    let mut all = 0_usize;
    for stretches in &stretches {
        let least = stretches.iter().copied().fold(f64::INFINITY, f64::min);
        held += stretches
            .iter()
            .filter(|&&each| each > HELD * least)
            .count();
        all += stretches.len();
    }
    (all > 0).then(|| held as f64 / all as f64)
}

/// Wall time as a multiple of CPU time, of each whole run of an arm.
fn of_arm(block: &Block, arm: ArmIndex) -> impl Iterator<Item = f64> {
    let whole = block
        .rounds
        .iter()
        .filter(|round| round.schedule == Schedule::Interleaved);
    whole
        .filter_map(move |round| round.run_of(arm))
        .map(|run| run.wall_ns as f64 / run.cpu_ns.max(1) as f64)
}
