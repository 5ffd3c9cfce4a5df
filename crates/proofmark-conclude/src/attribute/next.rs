//! What is measured next follows from the blocks that are there, so that an interrupted attribution
//! goes on as if it had not been.

use proofmark_evidence::record::{Attribution, AttributionBlock};
use proofmark_stats::attribute::{Mixed, shares};
use proofmark_terms::{BuildIndex, FunctionIndex};
use rand::seq::SliceRandom;

use super::values::{layouts, pairs};
use crate::Draws;

/// Most groups side by side: layouts A and B serve all of them.
const SIDE_BY_SIDE: usize = 8;
/// A stage of groups has so many times the fewest blocks at most.
const LONGEST: usize = 3;

/// The block that comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextAttributionBlock {
    /// From 0.
    pub index: u32,
    /// From 0.
    pub stage: u32,
    /// The groups, as indices into the attribution's functions.
    pub groups: Vec<Vec<FunctionIndex>>,
    /// One layout more, in which everything that is in no group has its place from A.
    pub others: bool,
    /// Seed of layout A.
    pub one: u64,
    /// Seed of layout B.
    pub other: u64,
}

/// A stage with its blocks.
pub(super) struct Stage<'b> {
    pub(super) number: u32,
    pub(super) groups: Vec<Vec<FunctionIndex>>,
    pub(super) blocks: &'b [AttributionBlock],
    /// Groups are single functions: names come from here.
    pub(super) last: bool,
}

/// The block that comes next; none where the attribution is over.
///
/// The functions, in an order drawn from the seed, are halved until there are eight groups, or all
/// are single. A stage of groups has `screening` blocks, and up to three times as many until the
/// half of the groups with the larger total shares explains half of the variance between layouts.
/// That half is then halved again until there are eight. Where all groups are single functions,
/// they have `blocks` blocks of their own: what is said of them rests on these alone, so that
/// choosing them favours none.
#[must_use]
pub fn next_attribution_block(
    attribution: &Attribution,
    blocks: &[AttributionBlock],
) -> Option<NextAttributionBlock> {
    let stages = stages(attribution, blocks);
    let stage = stages.last()?;
    let done = u32::try_from(stage.blocks.len()).unwrap_or(u32::MAX);
    if stage.last && done >= attribution.design.blocks {
        return None;
    }
    let index = u32::try_from(blocks.len()).unwrap_or(u32::MAX);
    let one = Draws::new(attribution.design.seed).layout_seed(Some(index));
    Some(NextAttributionBlock {
        index,
        stage: stage.number,
        groups: stage.groups.clone(),
        others: stage.last,
        one,
        other: Draws::independent_seed(one, BuildIndex(1)),
    })
}

/// How many blocks an attribution has in all; a few more or less where groups are not of one size.
#[must_use]
pub fn planned_attribution_blocks(attribution: &Attribution) -> u32 {
    let all = FunctionIndex::all(attribution.functions.len()).collect();
    let (mut groups, mut blocks) = (halved(vec![all]), attribution.design.blocks);
    while groups.iter().any(|group| group.len() > 1) {
        blocks = blocks.saturating_add(attribution.design.screening);
        groups.truncate(groups.len().div_ceil(2));
        groups = halved(groups);
    }
    blocks
}

/// Whether a block is of the last stage, in which groups are single functions.
#[must_use]
pub fn is_last_stage(block: &AttributionBlock) -> bool {
    block.groups.iter().all(|group| group.len() == 1)
}

fn wanted(attribution: &Attribution, last: bool) -> u32 {
    let design = &attribution.design;
    if last {
        design.blocks
    } else {
        design.screening
    }
}

/// The stages so far, with the one that is under way or comes next.
pub(super) fn stages<'b>(
    attribution: &Attribution,
    blocks: &'b [AttributionBlock],
) -> Vec<Stage<'b>> {
    let mut order: Vec<FunctionIndex> = FunctionIndex::all(attribution.functions.len()).collect();
    if order.is_empty() {
        return Vec::new();
    }
    order.shuffle(&mut Draws::new(attribution.design.seed).rng("groups of an attribution"));
    let (mut groups, mut at, mut stages) = (halved(vec![order]), 0, Vec::new());
    loop {
        let last = groups.iter().all(|group| group.len() == 1);
        let fewest = at + wanted(attribution, last) as usize;
        let most = if last {
            fewest
        } else {
            at + LONGEST * (fewest - at)
        };
        let over = (fewest..=most.min(blocks.len()))
            .find(|&end| last || end == most || explain(&groups, &blocks[..end], at));
        let end = over.unwrap_or(blocks.len());
        stages.push(Stage {
            number: u32::try_from(stages.len()).unwrap_or(u32::MAX),
            groups: groups.clone(),
            blocks: &blocks[at..end],
            last,
        });
        if last || over.is_none() {
            return stages;
        }
        groups = halved(kept(&groups, &blocks[at..end]));
        at = end;
    }
}

/// Whether the groups that would be kept by the blocks from `first` on explain half of the variance
/// between the layouts of all blocks. Where they do not, what matters may not have moved yet.
fn explain(groups: &[Vec<FunctionIndex>], blocks: &[AttributionBlock], first: usize) -> bool {
    let own = &blocks[first..];
    let mut totals = totals(groups.len(), own);
    totals.sort_by(|a, b| b.total_cmp(a));
    let kept: f64 = totals.iter().take(groups.len().div_ceil(2)).sum();
    let whole: f64 = pairs(blocks)
        .iter()
        .map(|pair| (pair.one[0] - pair.other[0]) * (pair.one[1] - pair.other[1]))
        .sum();
    let mean = |sum: f64, count: usize| sum / count.max(1) as f64;
    whole > 0.0 && mean(kept, own.len()) >= mean(whole, blocks.len()) / 2.0
}

/// The half of the groups whose total shares are larger, in their order.
pub(super) fn kept(
    groups: &[Vec<FunctionIndex>],
    blocks: &[AttributionBlock],
) -> Vec<Vec<FunctionIndex>> {
    let mut ranked: Vec<(usize, f64)> = totals(groups.len(), blocks)
        .into_iter()
        .enumerate()
        .collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut chosen: Vec<usize> = ranked
        .iter()
        .take(groups.len().div_ceil(2))
        .map(|(group, _)| *group)
        .collect();
    chosen.sort_unstable();
    chosen
        .into_iter()
        .map(|group| groups[group].clone())
        .collect()
}

/// The variance that the places of each group make, noise removed.
fn totals(groups: usize, blocks: &[AttributionBlock]) -> Vec<f64> {
    let mixed = layouts(blocks);
    let of = |group: usize| {
        let differs = |block: &Mixed| {
            let kept = block.kept.get(group)?;
            Some((block.other[0] - kept[0]) * (block.other[1] - kept[1]))
        };
        mixed.iter().filter_map(differs).sum()
    };
    (0..groups).map(of).collect()
}

/// The groups cut in halves, the largest first, until there are eight or all are single.
fn halved(mut groups: Vec<Vec<FunctionIndex>>) -> Vec<Vec<FunctionIndex>> {
    while groups.len() < SIDE_BY_SIDE {
        let sizes = groups.iter().map(Vec::len).enumerate();
        let largest = sizes.max_by_key(|(at, size)| (*size, std::cmp::Reverse(*at)));
        let Some((at, size)) = largest.filter(|(_, size)| *size > 1) else {
            break;
        };
        let behind = groups[at].split_off(size.div_ceil(2));
        groups.insert(at + 1, behind);
    }
    groups
}

/// The total share of each group of a stage, 0 to 1.
pub(super) fn total_shares(stage: &Stage<'_>) -> Vec<Option<f64>> {
    let mixed = layouts(stage.blocks);
    let found = shares(&mixed, stage.groups.len(), 0.95);
    found.map_or_else(
        || vec![None; stage.groups.len()],
        |found| {
            let of = |part: &Option<proofmark_stats::attribute::Part>| {
                part.map(|part| part.total.estimate)
            };
            found.groups.iter().map(of).collect()
        },
    )
}
