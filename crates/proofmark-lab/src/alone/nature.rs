//! What a program is like, by a few runs before the first block.

use std::time::Duration;

use proofmark_conclude::RoundAt;
use proofmark_evidence::record::SweepRemark;
use proofmark_measure::trace::{TraceLimits, Untraceable, trace};
use proofmark_measure::{Interrupt, MeasureError};

use super::bench::AloneBench;
use crate::LabError;

/// Rounds by which the length of a run is told.
const TRIALS: u32 = 3;

/// What a program is like.
#[derive(Debug)]
pub(crate) struct Nature {
    /// How long a run takes.
    pub(crate) run: Duration,
    /// Its runs are kept on one core.
    pub(crate) pinned: bool,
    pub(crate) remarks: Vec<SweepRemark>,
}

/// Looks at the program by a few runs of the image that is placed.
pub(crate) fn nature(bench: &mut AloneBench, stop: &Interrupt) -> Result<Nature, LabError> {
    let mut remarks = Vec::new();
    let pinned = is_for_one_core(bench, stop, &mut remarks)?;
    bench.pin(pinned);
    let mut walls = Vec::new();
    for round in 0..TRIALS {
        let at = RoundAt { block: None, round };
        let runs = bench.round(at)?.runs;
        walls.extend(runs.iter().map(|run| run.wall_ns));
    }
    walls.sort_unstable();
    let run = Duration::from_nanos(walls.get(walls.len() / 2).copied().unwrap_or(1).max(1));
    remarks.extend(
        bench
            .no_idle_core()
            .map(|core| SweepRemark::BusyCore { core }),
    );
    remarks.extend(bench.runner().remark().map(|_| SweepRemark::TaskClock));
    Ok(Nature {
        run,
        pinned,
        remarks,
    })
}

/// Whether the program is to be kept on one core: it has one thread, or takes no notice.
fn is_for_one_core(
    bench: &mut AloneBench,
    stop: &Interrupt,
    remarks: &mut Vec<SweepRemark>,
) -> Result<bool, LabError> {
    let launch = bench.launch(0, 0)?;
    let limits = TraceLimits {
        time: launch.timeout,
        ..TraceLimits::default()
    };
    match trace(&launch, &limits, stop) {
        Ok(traced) => {
            let free = traced.family.threads > 0 || traced.cores.any();
            if free {
                remarks.push(SweepRemark::FreeCores);
            }
            Ok(!free)
        }
        Err(Untraceable::Run(MeasureError::Interrupted)) => Err(LabError::Interrupted),
        Err(_) => Ok(true),
    }
}
