//! Conditions that travel with a result: what was found, and what would help given what the user already did.

use proofmark_evidence::record::{Block, Experiment, LayoutControl, Pilot, Schedule, Warning};
use proofmark_stats::{Doubt, check};

use crate::LabError;
use crate::arms::main_arm;
use crate::conclude::effects;

/// Runs shorter than this are mostly start-up, in nanoseconds.
const SHORT_NS: u64 = 5_000_000;

/// A build whose movable share lies below this is hardly varied at all.
const HARDLY_MOVABLE: f64 = 0.5;

/// All warnings of an experiment.
pub(crate) fn warnings(
    experiment: &Experiment,
    pilot: &Pilot,
    blocks: &[Block],
) -> Result<Vec<Warning>, LabError> {
    let mut all = Vec::new();
    all.extend(placement(experiment));
    all.extend(short_runs(pilot));
    all.extend(immovable(experiment));
    all.extend(distorted(pilot));
    for build in 1..experiment.builds.len() {
        let build = u32::try_from(build).unwrap_or(u32::MAX);
        let effects = effects(blocks, main_arm(experiment, build), main_arm(experiment, 0))?;
        all.extend(
            check(&effects)
                .into_iter()
                .map(|doubt| assumption(experiment, build, doubt)),
        );
    }
    all.dedup();
    Ok(all)
}

pub(crate) fn warning(code: &str, found: impl Into<String>, remedy: impl Into<String>) -> Warning {
    Warning {
        code: code.to_owned(),
        found: found.into(),
        remedy: remedy.into(),
    }
}

/// Placement was not varied.
fn placement(experiment: &Experiment) -> Option<Warning> {
    match &experiment.layouts {
        LayoutControl::AsShipped { reason } => Some(warning(
            "placement-not-controlled",
            format!("placement was not varied: {reason}"),
            "capture the builds; until then a difference of a few per cent may be where the linker put the code",
        )),
        LayoutControl::Matched { .. } | LayoutControl::Independent { .. } => None,
    }
}

/// Runs are mostly start-up.
fn short_runs(pilot: &Pilot) -> Option<Warning> {
    let shortest = pilot.cpu_ns.iter().copied().min()?;
    (shortest < SHORT_NS).then(|| {
        warning(
            "short-runs",
            format!("a run takes {:.1} ms of CPU time, much of it start-up and not the work that is compared", shortest as f64 / 1e6),
            "give the program more work, so that a run takes 20 ms or more",
        )
    })
}

/// Most of a build's code stays where it is in every layout.
fn immovable(experiment: &Experiment) -> Option<Warning> {
    use proofmark_evidence::record::BuildOrigin;
    experiment
        .builds
        .iter()
        .find_map(|build| match build.origin {
            BuildOrigin::Captured { movable, .. } if movable < HARDLY_MOVABLE => Some(warning(
                "hardly-movable",
                format!(
                    "only {:.0} % of the code of {} can be moved, so that layouts vary little",
                    movable * 100.0,
                    build.name
                ),
                format!("`proofmark builds show {}` says why", build.name),
            )),
            _ => None,
        })
}

/// Slicing moved the effect, and whole runs in turn had to be used.
fn distorted(pilot: &Pilot) -> Option<Warning> {
    let largest = pilot
        .shifts
        .iter()
        .map(|shift| shift.widening)
        .fold(0.0, f64::max);
    (largest > 0.0 && matches!(pilot.schedule, Schedule::Sliced { .. })).then(|| {
        warning(
            "slicing-shift",
            format!("slicing moved the effect in the pilot; the interval is wider by {:.2} % on each side for it", largest * 100.0),
            "--schedule interleaved measures without it, more slowly",
        )
    })
}

/// An assumption of the interval looks broken.
fn assumption(experiment: &Experiment, build: u32, doubt: Doubt) -> Warning {
    let name = experiment
        .builds
        .get(build as usize)
        .map_or("?", |build| build.name.as_str());
    match doubt {
        Doubt::Correlated { lag_one, .. } => warning(
            "blocks-correlated",
            format!(
                "the blocks of {name} follow one another (correlation {lag_one:.2}): the interval is too narrow"
            ),
            "measure on a quieter machine, or with more rounds to a block (--rounds)",
        ),
        Doubt::OneSided { outliers, .. } => warning(
            "one-sided-outliers",
            format!(
                "{outliers} blocks of {name} lie far off on one side: rare layouts may be much worse, and the interval does not cover them"
            ),
            "measure more blocks (--blocks 20..60)",
        ),
    }
}
