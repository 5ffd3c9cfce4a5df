//! From the blocks of an attribution to its conclusion.

use proofmark_evidence::record::{
    Attribution, AttributionBlock, AttributionConclusion, AttributionStop, ByChance, FunctionPart,
    GroupScreened, LayoutSpread, OthersPart, ShareFound,
};
use proofmark_stats::attribute::{Bounded, Mixed, Part, Shares, shares, signs};
use proofmark_terms::FunctionIndex;
use rand::RngExt as _;

use super::by_feature::{Moved, by_feature};
use super::next::{Stage, kept, stages, total_shares};
use super::values::{as_measured, layouts, pairs};
use crate::{ConcludeError, Draws};

/// What the blocks of an attribution say.
///
/// # Errors
///
/// When the last stage has fewer than two blocks: then there is nothing to be said of any function.
pub fn conclude_attribution(
    attribution: &Attribution,
    blocks: &[AttributionBlock],
    stop: AttributionStop,
) -> Result<AttributionConclusion, ConcludeError> {
    let stages = stages(attribution, blocks);
    let last = stages.last().filter(|stage| stage.last);
    let too_few = || ConcludeError::TooFew {
        blocks: 1,
        what: "share",
        fewest: 2,
    };
    let last = last.ok_or_else(too_few)?;
    let confidence = attribution.design.confidence;
    let layouts = layouts(last.blocks);
    let groups = last.groups.len();
    // Behind the groups stand all others.
    let found = shares(&layouts, groups + 1, confidence).ok_or_else(too_few)?;
    let all = shares(&pairs(blocks), 0, confidence).ok_or_else(too_few)?;
    let functions = functions(attribution, (last, &layouts), &found);
    let deviation = |variance: f64| variance.max(0.0).sqrt();
    let in_runs_ns: u64 = blocks
        .iter()
        .flat_map(|block| block.measured.iter().flatten())
        .flat_map(|round| &round.runs)
        .map(|run| run.wall_ns)
        .fold(0, u64::saturating_add);
    Ok(AttributionConclusion {
        stop,
        spread: LayoutSpread {
            estimate: deviation(all.variance.estimate),
            low: deviation(all.variance.low),
            high: deviation(all.variance.high),
            noise: deviation(found.noise),
        },
        functions,
        others: found
            .groups
            .get(groups)
            .copied()
            .flatten()
            .map(|part| OthersPart {
                first: share(part.first),
                total: share(part.total),
            }),
        screened: stages
            .iter()
            .filter(|stage| !stage.last)
            .flat_map(screened)
            .collect(),
        blocks: found.blocks,
        took_ms: blocks
            .iter()
            .map(|block| block.took_ms)
            .fold(0, u64::saturating_add),
        in_runs_ms: in_runs_ns / 1_000_000,
    })
}

/// What is said of each group by its first function: whether its places matter, and how much.
fn functions(
    attribution: &Attribution,
    (last, layouts): (&Stage<'_>, &[Mixed]),
    found: &Shares,
) -> Vec<FunctionPart> {
    let confidence = attribution.design.confidence;
    let groups = last.groups.len();
    let single: Vec<Mixed> = as_measured(last.blocks)
        .into_iter()
        .map(|mixed| first(mixed, groups))
        .collect();
    let draws = Draws::new(attribution.design.seed);
    signs(&single, groups, draws.rng("signs").random())
        .iter()
        .map(|sign| {
            let function = last.groups[sign.group].first().copied();
            let function = function.unwrap_or(FunctionIndex(0));
            let named = sign.p_value <= 1.0 - confidence;
            let part = found.groups.get(sign.group).copied().flatten();
            let told = |of: fn(&Part) -> Bounded| part.as_ref().map(of).map(share);
            let seed = draws.rng(&format!("start {function}")).random();
            FunctionPart {
                function,
                by_chance: ByChance {
                    p_value: sign.p_value,
                },
                named,
                first: told(|part| part.first),
                total: told(|part| part.total),
                by_feature: named
                    .then(|| {
                        let moved = moved(last, layouts, sign.group);
                        by_feature(attribution, function, &moved, (confidence, seed))
                    })
                    .flatten(),
            }
        })
        .collect()
}

/// A block with its first groups alone.
fn first(mut mixed: Mixed, groups: usize) -> Mixed {
    mixed.kept.truncate(groups);
    mixed
}

fn share(bounded: Bounded) -> ShareFound {
    ShareFound {
        share: bounded.estimate,
        low: bounded.low,
        high: bounded.high,
    }
}

/// The groups of a stage of which several functions are.
fn screened(stage: &Stage<'_>) -> Vec<GroupScreened> {
    let kept = kept(&stage.groups, stage.blocks);
    let totals = total_shares(stage);
    let screened = |(group, total): (&Vec<FunctionIndex>, Option<f64>)| GroupScreened {
        stage: stage.number,
        functions: group.clone(),
        total,
        kept: kept.contains(group),
    };
    stage.groups.iter().zip(totals).map(screened).collect()
}

/// The layouts B and U of each block of the last stage, which differ in the place of one function.
fn moved<'b>(last: &Stage<'b>, layouts: &[Mixed], group: usize) -> Vec<Moved<'b>> {
    let of = |(block, mixed): (&'b AttributionBlock, &Mixed)| {
        let kept = mixed.kept.get(group)?;
        Some(Moved {
            block,
            apart: (kept[0] + kept[1] - mixed.other[0] - mixed.other[1]) / 2.0,
        })
    };
    last.blocks.iter().zip(layouts).filter_map(of).collect()
}
