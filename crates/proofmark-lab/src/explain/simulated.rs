//! What a model of caches and branches makes of the builds' own images.

use std::time::Duration;

use proofmark_evidence::record::{ArmRef, SimulatedRun, SimulatedRuns};
use proofmark_measure::model::{Caches, Model, model};
use proofmark_measure::{Interrupt, Unavailable};
use proofmark_terms::BuildIndex;

use crate::bench::Bench;
use crate::error::LabError;
use crate::rig::Rig as _;

/// The longest that one simulated run may take; it takes some hundred times as long as the program.
const LONGEST: Duration = Duration::from_secs(60);

/// One run of the base's and of a build's own image, simulated. Whoever takes those of a layout asks
/// about code that nobody ships.
///
/// # Errors
///
/// When the user stops, or what goes before a run fails.
pub(super) fn simulated(
    bench: &mut Bench,
    build: BuildIndex,
    stop: &Interrupt,
) -> Result<SimulatedRuns, LabError> {
    let arms = [BuildIndex::BASE, build].map(|build| ArmRef::AsShipped { build });
    bench.place(Some(0), &arms)?;
    let mut found = Vec::new();
    for arm in [0, 1] {
        let mut sampled = bench.launch_sampled(arm)?;
        sampled.launch.timeout = sampled.launch.timeout.min(LONGEST);
        match model(&sampled.launch, &sampled.path, &Caches::of_host(), stop) {
            Ok(model) => found.push(model),
            Err(Unavailable::Interrupted) => return Err(LabError::Interrupted),
            Err(why) => {
                return Ok(SimulatedRuns::Unavailable {
                    reason: why.to_string(),
                });
            }
        }
    }
    let [base, new] = <[Model; 2]>::try_from(found)
        .map_err(|_| LabError::Fault("a simulated run is missing".to_owned()))?;
    let Caches { i1, d1, ll, .. } = base.caches;
    Ok(SimulatedRuns::Counted {
        caches: [i1, d1, ll].map(|cache| cache.to_string()),
        base: run(&base),
        new: run(&new),
    })
}

fn run(model: &Model) -> SimulatedRun {
    let all = &model.total;
    SimulatedRun {
        instructions: all.instructions,
        i1: all.i1,
        d1: all.d1(),
        ll_instructions: all.ll_instructions,
        ll_data: all.ll_reads + all.ll_writes,
        branches: all.branches_missed(),
    }
}
