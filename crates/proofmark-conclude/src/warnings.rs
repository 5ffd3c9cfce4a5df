//! Conditions that travel with a result.

use proofmark_evidence::record::{
    Block, Build, Experiment, HardlyMovable, LayoutControl, Pilot, Warning,
};
use proofmark_stats::{Doubt, RoundCosts, check, rounds_per_block};
use proofmark_terms::BuildIndex;

use crate::arms::{main_arm, others, paired};
use crate::at_once::brief;
use crate::departed::departed;
use crate::effects::{effects, shifts};
use crate::error::ConcludeError;
use crate::few_digits::few_digits;
use crate::held_up::held_up;
use crate::name::name;
use crate::sums::sums;
use crate::times;
use crate::wall_time::wall_time_apart;

/// A build whose movable share lies below this is hardly varied at all.
const HARDLY_MOVABLE: f64 = 0.5;

/// Most rounds that are advised.
const MOST_ADVISED: u32 = 100;

/// Advice that differs by less than this factor from what was done is not worth a word.
const FAR_APART: f64 = 3.0;

/// All warnings of an experiment.
pub(crate) fn warnings(
    experiment: &Experiment,
    pilot: &Pilot,
    blocks: &[Block],
) -> Result<Vec<Warning>, ConcludeError> {
    let mut all = of_setup(experiment, pilot);
    all.extend(rounds(experiment, pilot, blocks));
    all.extend(brief(experiment, pilot, blocks));
    all.extend(held_up(experiment, pilot, blocks));
    for build in others(experiment) {
        let [new, base] = [build, BuildIndex::BASE].map(|build| main_arm(experiment, build));
        all.extend(few_digits(experiment, pilot, build, blocks));
        let apart = sums(experiment, pilot, [build, BuildIndex::BASE], (blocks, 1));
        all.extend(apart.map(Warning::SumsApart));
        all.extend(wall_time_apart(
            experiment,
            [build, BuildIndex::BASE],
            blocks,
        ));
        let effects = effects(blocks, new, base, pilot.schedule)?;
        all.extend(
            check(&effects)
                .into_iter()
                .map(|doubt| assumption(name(experiment, build), doubt)),
        );
    }
    all.dedup();
    Ok(all)
}

/// What the builds and the pilot alone say.
pub(crate) fn of_setup(experiment: &Experiment, pilot: &Pilot) -> Vec<Warning> {
    [
        placement(experiment),
        short_runs(pilot),
        immovable(experiment),
    ]
    .into_iter()
    .flatten()
    .chain(departed(experiment))
    .collect()
}

/// Placement was not varied.
fn placement(experiment: &Experiment) -> Option<Warning> {
    match &experiment.layouts {
        LayoutControl::AsShipped { reason } => {
            let reason = reason.clone();
            Some(if is_one_program(experiment) {
                Warning::OnePlacement { reason }
            } else {
                Warning::PlacementNotControlled { reason }
            })
        }
        LayoutControl::Drawn { .. } => None,
    }
}

/// Whether all builds are the same machine code, and differ in other files that they read.
fn is_one_program(experiment: &Experiment) -> bool {
    let builds = &experiment.builds;
    let same = |pair: &[Build]| pair[0].images == pair[1].images;
    let read_only = |build: &Build| {
        let tree = build.tree.as_ref();
        tree.is_some_and(|tree| !tree.differs_in_code())
    };
    builds.iter().all(read_only) && builds.windows(2).all(same)
}

/// Runs are mostly start-up.
fn short_runs(pilot: &Pilot) -> Option<Warning> {
    // Builds that sat out the pilot have none.
    let shortest = pilot.cpu_ns.iter().copied().filter(|&ns| ns > 0).min()?;
    (shortest < times::SHORT_NS).then_some(Warning::ShortRuns { cpu_ns: shortest })
}

/// Most of a build's code stays where it is in every layout.
fn immovable(experiment: &Experiment) -> Option<Warning> {
    use proofmark_evidence::record::BuildOrigin;
    if !experiment.layouts.is_drawn() {
        return None;
    }
    experiment
        .builds
        .iter()
        .find_map(|build| match build.origin {
            BuildOrigin::Captured {
                movable, ref ids, ..
            } if movable < HARDLY_MOVABLE => Some(Warning::HardlyMovable(HardlyMovable {
                build: build.name.clone(),
                movable,
                capture: ids.first()?.clone(),
            })),
            _ => None,
        })
}

/// Slices move an effect by so much of the margin, or may do so, that a reader should know.
const SHIFTED: f64 = 0.5;

/// What slices may do to the effects made an interval much wider.
pub(crate) fn distorted(
    experiment: &Experiment,
    pilot: &Pilot,
    blocks: &[Block],
) -> Result<Option<Warning>, ConcludeError> {
    let margin = experiment.design.margin;
    let mut most: Option<(BuildIndex, f64)> = None;
    for build in others(experiment) {
        let shifts = shifts(experiment, pilot, build, blocks)?;
        let widening = shifts.and_then(|shifts| shifts.widening(margin).pop());
        let before = most.map_or(SHIFTED * margin.ln(), |(_, before)| before);
        most = widening
            .filter(|&by| by > before)
            .map(|by| (build, by))
            .or(most);
    }
    Ok(most.map(|(build, widening)| Warning::SlicingShift {
        build: name(experiment, build).to_owned(),
        widening,
    }))
}

/// Far fewer or far more rounds were asked for than measured costs and variances advise.
fn rounds(experiment: &Experiment, pilot: &Pilot, blocks: &[Block]) -> Option<Warning> {
    experiment.design.rounds?;
    let ratios = |block: &Block| -> Option<Vec<f64>> {
        let arms = [1, 0].map(|build| main_arm(experiment, BuildIndex(build)));
        let (new, base) = paired(block, arms, pilot.schedule)?;
        Some(
            new.iter()
                .zip(&base)
                .map(|(new, base)| (new / base).ln())
                .collect(),
        )
    };
    let effects: Vec<Vec<f64>> = blocks.iter().map(ratios).collect::<Option<_>>()?;
    let in_rounds: f64 = blocks.iter().map(times::of_rounds).sum();
    let in_all: f64 = blocks.iter().map(|block| block.took_ms as f64 * 1e6).sum();
    let count: usize = effects.iter().map(Vec::len).sum();
    let costs = RoundCosts {
        block: (in_all - in_rounds).max(0.0) / blocks.len() as f64,
        round: in_rounds / count as f64,
    };
    let advice = rounds_per_block(&effects, costs, MOST_ADVISED).ok()?;
    let apart = f64::from(advice.rounds) / f64::from(pilot.rounds);
    // Where blocks do not differ beyond their rounds, the advice is "as many as you like".
    (advice.between > 0.0 && !(1.0 / FAR_APART..=FAR_APART).contains(&apart)).then_some(
        Warning::RoundsAdvice {
            advised: advice.rounds,
            asked: pilot.rounds,
        },
    )
}

/// An assumption of the interval of a build, or of a pair of cells, looks broken.
pub(crate) fn assumption(of: &str, doubt: Doubt) -> Warning {
    let of = of.to_owned();
    match doubt {
        Doubt::Correlated { lag_one, .. } => Warning::BlocksCorrelated {
            of,
            correlation: lag_one,
        },
        Doubt::OneSided { outliers, .. } => Warning::OneSidedOutliers {
            of,
            blocks: outliers,
        },
    }
}
