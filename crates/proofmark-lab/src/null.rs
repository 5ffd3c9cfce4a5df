//! What the blocks of a null test say: pure, from recorded blocks to the rate of false alarms.

use proofmark_evidence::record::{
    Alarms, Block, Experiment, NullConclusion, Pilot, PositionBias, Stop,
};
use proofmark_stats::{alarm_rate, position_bias, resolvable, spread};

use crate::LabError;
use crate::arms::main_arm;
use crate::conclude::rules;
use crate::draws::Draws;
use crate::effects::effects;
use crate::warnings::warnings;

/// Re-drawings of the signs: the rate of a set-up that keeps its promise is then known to within ± 0.5 %.
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
) -> Result<NullConclusion, LabError> {
    let few = || LabError::Plan(format!("{} blocks carry no rate of alarms", blocks.len()));
    let rule = rules(experiment, pilot)?
        .into_iter()
        .next()
        .ok_or_else(few)?;
    let effects = effects(blocks, main_arm(experiment, 1), main_arm(experiment, 0))?;
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
        position: positions(blocks),
        warnings: warnings(experiment, pilot, blocks)?,
        took_ms,
    })
}

/// Whether the place in the round tells in the numbers. Layouts differ between arms, so each arm's mean over its block is taken off first.
fn positions(blocks: &[Block]) -> Option<PositionBias> {
    let mut rounds = Vec::new();
    for block in blocks {
        let logs: Vec<Vec<f64>> = block
            .rounds
            .iter()
            .map(|round| round.runs.iter().map(|run| run.value.ln()).collect())
            .collect();
        let means: Vec<f64> = (0..block.arms.len())
            .map(|arm| {
                logs.iter().filter_map(|round| round.get(arm)).sum::<f64>()
                    / logs.len().max(1) as f64
            })
            .collect();
        for (round, logs) in block.rounds.iter().zip(&logs) {
            let at_place = |&arm: &u32| Some(logs.get(arm as usize)? - means.get(arm as usize)?);
            rounds.push(
                round
                    .order
                    .iter()
                    .map(at_place)
                    .collect::<Option<Vec<f64>>>()?,
            );
        }
    }
    let found = position_bias(&rounds).ok()?;
    Some(PositionBias {
        by_position: found.by_position,
        p: found.p_value,
    })
}
