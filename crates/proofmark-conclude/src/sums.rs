//! Builds whose runs take now one time and now another.

use proofmark_evidence::record::{Block, Experiment, Pilot, SumsApart};
use proofmark_stats::sums_apart;
use proofmark_terms::{BuildIndex, Effect};

use crate::arms::{main_arm, paired};
use crate::name::name;

/// The sum of a build's values ÷ that of another's says another thing than the mean of ratios,
/// which verdicts are of. `among` pairs are looked at.
pub(crate) fn sums(
    experiment: &Experiment,
    pilot: &Pilot,
    builds: [BuildIndex; 2],
    (blocks, among): (&[Block], usize),
) -> Option<SumsApart> {
    let arms = builds.map(|build| main_arm(experiment, build));
    let values: Vec<(Vec<f64>, Vec<f64>)> = blocks
        .iter()
        .filter_map(|block| paired(block, arms, pilot.schedule))
        .collect();
    let found = sums_apart(&values, experiment.design.margin.ln(), among)?;
    Some(SumsApart {
        benchmark: None,
        build: name(experiment, builds[0]).to_owned(),
        beside: None,
        in_the_middle: Effect::from_ln(found.in_the_middle).ratio(),
        in_sum: Effect::from_ln(found.in_sum).ratio(),
    })
}
