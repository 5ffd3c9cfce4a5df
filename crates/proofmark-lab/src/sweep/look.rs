//! The runs before the first block: what the program is like, and how long it takes.

use std::time::Duration;

use proofmark_conclude::RoundAt;
use proofmark_evidence::record::SweepRemark;
use proofmark_measure::trace::{TraceLimits, Untraceable, trace};
use proofmark_measure::{Interrupt, MeasureError};

use super::bench::{Put, SweepBench};
use super::images::Images;
use crate::LabError;

/// Addresses that share an anchor in a block: the anchor's runs are then an eighth of all.
const GROUP: u32 = 7;
/// Time that the runs of an image shall take in a block.
const IN_A_BLOCK: Duration = Duration::from_millis(100);
/// Fewest and most rounds of a block: spread takes two.
const ROUNDS: (u32, u32) = (2, 15);
/// Rounds by which the length of a run is told.
const TRIALS: u32 = 3;

/// How the blocks of a sweep will be measured.
#[derive(Debug)]
pub(super) struct Manner {
    pub(super) group: u32,
    pub(super) rounds: u32,
    pub(super) pinned: bool,
    pub(super) remarks: Vec<SweepRemark>,
}

/// Looks at the program with the function where it was shipped.
pub(super) fn look(
    bench: &mut SweepBench,
    images: &mut Images,
    stop: &Interrupt,
) -> Result<Manner, LabError> {
    let shipped = images.set().as_shipped();
    let image = images.at(&[shipped])?.remove(0);
    bench.place(&[Put {
        name: "as shipped".to_owned(),
        image,
    }])?;
    let Nature {
        run,
        pinned,
        remarks,
    } = nature(bench, stop)?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "kept within small bounds"
    )]
    let fit = (IN_A_BLOCK.as_secs_f64() / run.as_secs_f64()).min(1000.0) as u32;
    Ok(Manner {
        group: GROUP,
        rounds: fit.clamp(ROUNDS.0, ROUNDS.1),
        pinned,
        remarks,
    })
}

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
pub(crate) fn nature(bench: &mut SweepBench, stop: &Interrupt) -> Result<Nature, LabError> {
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
    bench: &mut SweepBench,
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
