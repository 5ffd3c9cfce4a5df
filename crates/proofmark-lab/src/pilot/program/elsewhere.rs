//! Whether the builds compare in one way on the core of the measurement and in another way on
//! another core.
//!
//! A program can ask on which core it is without a system call, so no trace raises the suspicion.
//! Cores may be of several kinds, too. What is measured on one core would then be said of all.

use proofmark_evidence::record::Run;
use proofmark_stats::median;
use proofmark_terms::BuildIndex;

use super::moved_by;
use crate::error::LabError;
use crate::rig::{Alone, Rig, Solo};

/// Rounds of a run of each build here and one there.
const ROUNDS: u64 = 9;

/// Fewest rounds; long runs are quiet ones.
const FEWEST: u64 = 3;

/// The rounds may take about this long for all builds together, in nanoseconds.
const ROUNDS_NS: u64 = 3_000_000_000;

/// Ratios that are less than this apart, on the scale of ln, are taken for equal: caches and
/// interrupts are not the same on all cores.
const EQUAL: f64 = 0.02;

/// How many rounds there are, by an undisturbed run of each build.
fn rounds(runs: &[Run]) -> u64 {
    let round_ns: u64 = runs.iter().map(|run| run.wall_ns.saturating_mul(2)).sum();
    (ROUNDS_NS / round_ns.max(1)).clamp(FEWEST, ROUNDS)
}

/// What this test takes about, in nanoseconds, by an undisturbed run of each build.
pub(in crate::pilot) fn elsewhere_ns(runs: &[Run]) -> u64 {
    let round_ns: u64 = runs.iter().map(|run| run.wall_ns.saturating_mul(2)).sum();
    round_ns.saturating_mul(rounds(runs))
}

/// One run of each build, in the order of the builds.
type OfBuilds = Vec<Solo>;

/// The first build that compares with the base in another way on another core, and what it does.
/// What is found once is looked for again, and both have to show it. Runs are left pinned or free
/// as they were.
pub(super) fn depends_on_core(
    rig: &mut dyn Rig,
    builds: &[BuildIndex],
    runs: &[Run],
) -> Result<Option<(BuildIndex, String)>, LabError> {
    let free = rig.core().is_none();
    rig.pin(true);
    let cores = rig.core().zip(rig.other_core());
    rig.pin(!free);
    let Some(cores) = cores else {
        return Ok(None);
    };
    let seen = all_rounds(rig, builds.len(), runs)?;
    let mut arms = 0..builds.len();
    let Some(arm) = arms.find(|&arm| found(&seen, arm, cores).is_some()) else {
        return Ok(None);
    };
    // A burst on one of the cores may last for most of the rounds.
    let again = all_rounds(rig, builds.len(), runs)?;
    Ok(found(&again, arm, cores).and_then(|what| Some((*builds.get(arm)?, what))))
}

/// In each round a run of every build here and one there, in another order each time.
fn all_rounds(
    rig: &mut dyn Rig,
    builds: usize,
    runs: &[Run],
) -> Result<Vec<[OfBuilds; 2]>, LabError> {
    let mut seen = Vec::new();
    for round in 0..rounds(runs) {
        let mut both = [OfBuilds::new(), OfBuilds::new()];
        for arm in 0..builds {
            let (here, there) = if round.is_multiple_of(2) {
                let here = rig.alone(arm, &Alone::PINNED)?;
                (here, rig.alone(arm, &Alone::ELSEWHERE)?)
            } else {
                let there = rig.alone(arm, &Alone::ELSEWHERE)?;
                (rig.alone(arm, &Alone::PINNED)?, there)
            };
            both[0].push(here);
            both[1].push(there);
        }
        seen.push(both);
    }
    Ok(seen)
}

/// In what a build differs there, if it does.
fn found(seen: &[[OfBuilds; 2]], arm: usize, cores: (u32, u32)) -> Option<String> {
    other_result(seen, arm)
        .or_else(|| {
            let [here, there] = other_ratio(seen, arm, |run| run.number)?;
            Some(format!(
                "it prints {here:.2} times the base's number on core {}, and {there:.2} times on \
                 core {}",
                cores.0, cores.1,
            ))
        })
        .or_else(|| {
            let [here, there] = other_ratio(seen, arm, |run| Some(run.cpu_ns as f64))?;
            Some(format!(
                "it takes {here:.2} times the base's CPU time on core {}, and {there:.2} times on \
                 core {}",
                cores.0, cores.1,
            ))
        })
}

/// That it ends or prints otherwise: always in one way here, and always in another way there.
fn other_result(seen: &[[OfBuilds; 2]], arm: usize) -> Option<String> {
    let all = |place: usize| seen.iter().filter_map(move |both| both[place].get(arm));
    let (here, there) = (all(0).next()?, all(1).next()?);
    if all(0).all(|run| run.end == here.end)
        && all(1).all(|run| run.end == there.end)
        && here.end != there.end
    {
        return Some("it ends in another way on another core".to_owned());
    }
    let steady = all(0).all(|run| run.printed == here.printed)
        && all(1).all(|run| run.printed == there.printed);
    (steady && here.printed != there.printed)
        .then(|| "it prints something else on another core".to_owned())
}

/// build ÷ base of a quantity here and there, where they differ.
fn other_ratio(
    seen: &[[OfBuilds; 2]],
    arm: usize,
    quantity: impl Fn(&Solo) -> Option<f64>,
) -> Option<[f64; 2]> {
    // A round's ln(build ÷ base) on one of the cores.
    let ratio = |both: &[OfBuilds; 2], place: usize| {
        let runs = &both[place];
        let ratio = quantity(runs.get(arm)?)? / quantity(runs.first()?)?;
        (ratio.is_finite() && ratio > 0.0).then(|| ratio.ln())
    };
    let ratios: Vec<[f64; 2]> = seen
        .iter()
        .filter_map(|both| Some([ratio(both, 0)?, ratio(both, 1)?]))
        .collect();
    let moves: Vec<f64> = ratios.iter().map(|[here, there]| there - here).collect();
    moved_by(&moves, EQUAL)?;
    let middle = |place: usize| {
        let all: Vec<f64> = ratios.iter().map(|both| both[place]).collect();
        median(&all).map(f64::exp)
    };
    Some([middle(0)?, middle(1)?])
}
