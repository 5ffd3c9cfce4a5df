//! What kind of program it is, by the first runs that nobody disturbs.

use crate::rig::Solo;

/// With more CPU time than this share of its wall time, a run uses several threads.
const SEVERAL_THREADS: f64 = 1.1;

/// With less CPU time than this share of its wall time, and this many waits, a run waits for much
/// of its time. The share alone would take a busy machine for a program that waits.
const WAITING: (f64, u64) = (0.5, 5);

/// What kind of program it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nature {
    /// One thread that computes.
    Busy,
    /// Several threads or processes at once.
    Parallel,
    /// Waits for much of its time.
    Waiting,
}

/// What the runs of an undisturbed round tell of the program.
pub(super) fn nature(runs: &[Solo]) -> Nature {
    let busy = |run: &Solo| run.cpu_ns as f64 / run.wall_ns.max(1) as f64;
    if runs.iter().any(|run| busy(run) > SEVERAL_THREADS) {
        return Nature::Parallel;
    }
    let (share, often) = WAITING;
    if runs
        .iter()
        .any(|run| busy(run) < share && run.waits >= often)
    {
        Nature::Waiting
    } else {
        Nature::Busy
    }
}
