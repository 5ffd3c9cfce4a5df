//! What the blocks of a null test say: pure, from recorded blocks to the rate of false alarms.

use proofmark_evidence::record::{
    Alarms, ArmRef, Block, Experiment, NullConclusion, Pilot, PositionBias, Stop,
};
use proofmark_stats::{alarm_rate, ln_mean, position_bias, resolvable, spread};
use proofmark_terms::{ArmIndex, BuildIndex};

use crate::arms::{main_arm, paired, place};
use crate::conclude::rules;
use crate::draws::Draws;
use crate::effects::effects;
use crate::error::ConcludeError;
use crate::warnings::warnings;

/// Re-drawings of the signs: the rate of a set-up that keeps its promise is then known to within ±
/// 0.5 %.
const REDRAWS: u32 = 8_000;

/// Draws the conclusion of a null test.
///
/// # Errors
///
/// When there are fewer blocks than the design's fewest, or a block is damaged.
pub fn conclude_null(
    experiment: &Experiment,
    pilot: &Pilot,
    blocks: &[Block],
    stop: Stop,
    took_ms: u64,
) -> Result<NullConclusion, ConcludeError> {
    let few = || ConcludeError::TooFew {
        blocks: blocks.len(),
        what: "rate of alarms",
        fewest: experiment.design.min_blocks,
    };
    let rule = rules(experiment, pilot, blocks)?
        .into_iter()
        .next()
        .ok_or_else(few)?;
    let arms = [1, 0].map(|build| main_arm(experiment, BuildIndex(build)));
    let effects = effects(blocks, arms[0], arms[1], pilot.schedule)?;
    let look = rule.look(&effects).ok_or_else(few)?;
    let mut rng = Draws::new(experiment.seed).rng("signs");
    let rate = alarm_rate(&effects, &rule, REDRAWS, &mut rng).ok_or_else(few)?;
    let spread = spread(&effects).unwrap_or_default();
    let count = u32::try_from(blocks.len()).unwrap_or(u32::MAX);
    Ok(NullConclusion {
        blocks: count,
        stop,
        alarms: Alarms {
            redraws: REDRAWS,
            verdicts: rate.verdicts,
            alarms: rate.alarms,
            negligible: rate.negligible,
            rate: rate.rate,
            low: rate.low,
            high: rate.high,
            allowed: 1.0 - experiment.design.confidence,
        },
        interval: look.interval,
        verdict: look.verdict,
        spread,
        resolvable: Some(resolvable(spread, count, rule.looks())),
        position: positions(pilot, blocks, arms),
        warnings: warnings(experiment, pilot, blocks)?,
        took_ms,
    })
}

/// Whether the place in the round tells in the numbers. Layouts differ between arms, so each arm's
/// mean over its block is taken off first.
fn positions(pilot: &Pilot, blocks: &[Block], arms: [ArmRef; 2]) -> Option<PositionBias> {
    let mut rounds = Vec::new();
    for block in blocks {
        let (first, second) = paired(block, arms, pilot.schedule)?;
        let centred = [centred(&first), centred(&second)];
        let places = [place(block, arms[0])?, place(block, arms[1])?];
        let such = block.rounds.iter().filter(|round| {
            let both = places.iter().all(|&arm| round.run_of(arm).is_some());
            round.schedule == pilot.schedule && both
        });
        for (index, round) in such.enumerate() {
            let of = |arm: &ArmIndex| {
                let which = places.iter().position(|place| place == arm)?;
                centred[which].get(index).copied()
            };
            rounds.push(round.order.iter().filter_map(of).collect::<Vec<f64>>());
        }
    }
    let found = position_bias(&rounds).ok()?;
    Some(PositionBias {
        by_position: found.by_position,
        p: found.p_value,
    })
}

/// Logarithms less their mean.
fn centred(values: &[f64]) -> Vec<f64> {
    // Without a mean there is no number either.
    let mean = ln_mean(values).unwrap_or(f64::NAN);
    values.iter().map(|value| value.ln() - mean).collect()
}
