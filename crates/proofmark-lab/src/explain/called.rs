//! Samples of both builds with who called whom, for flame graphs and profiles. They are shown, and are
//! no evidence.

use proofmark_measure::{Interrupt, Unavailable};

use crate::bench::Bench;
use crate::callers::{Callers, callers};
use crate::error::LabError;

/// For each of a block's runs so many are taken here: what is drawn has no intervals, and few samples
/// make a coarse picture.
const TIMES: u32 = 3;
/// Most runs of a build.
const MOST: u32 = 300;

/// Samples of runs of two builds, each run after the one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalledRuns {
    /// Runs of each.
    pub runs: u32,
    /// The base and the build.
    pub builds: [Callers; 2],
}

/// Takes samples of the two placed builds, in turn; or the reason why the kernel tells nothing.
///
/// # Errors
///
/// When the user stops, or what goes before a run fails.
pub(super) fn called(
    bench: &mut Bench,
    in_a_block: u32,
    stop: &Interrupt,
) -> Result<Result<CalledRuns, String>, LabError> {
    let runs = in_a_block.max(1).saturating_mul(TIMES).min(MOST);
    let mut builds = [Callers::default(), Callers::default()];
    for _ in 0..runs {
        for (arm, so_far) in builds.iter_mut().enumerate() {
            let launch = bench.launch_sampled(arm)?.launch;
            match callers(&launch, stop) {
                Ok(found) => so_far.append(found),
                Err(Unavailable::Interrupted) => return Err(LabError::Interrupted),
                Err(why) => return Ok(Err(why.to_string())),
            }
        }
    }
    Ok(Ok(CalledRuns { runs, builds }))
}
