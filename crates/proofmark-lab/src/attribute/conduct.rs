//! Block after block, each stored before the next begins, until single functions are known well
//! enough.

use proofmark_conclude::{
    NextAttributionBlock, RoundAt, conclude_attribution, is_last_stage, next_attribution_block,
    planned_attribution_blocks,
};
use proofmark_evidence::record::{Attribution, AttributionBlock, AttributionStop, SweepRound};
use proofmark_evidence::{AttributionId, LockedStore};

use super::images::Images;
use crate::LabError;
use crate::alone::{AloneBench, Put};
use crate::budget::Budget;
use crate::clock::now_ms;
use crate::observer::{AttributionBlockStored, Event, Observer};

/// Blocks of the last stage without which nothing is said.
const FEWEST: usize = 8;

/// An attribution under way.
pub(super) struct AttributionUnderWay {
    pub(super) id: AttributionId,
    pub(super) attribution: Attribution,
    pub(super) blocks: Vec<AttributionBlock>,
    pub(super) budget: Budget,
}

/// Measures to the end and stores the conclusion.
pub(super) fn conduct(
    mut under_way: AttributionUnderWay,
    bench: &mut AloneBench,
    images: &Images,
    store: &mut LockedStore,
    observer: &mut dyn Observer,
) -> Result<(), LabError> {
    let began_ms = now_ms();
    let attribution = &under_way.attribution;
    let mut stop = AttributionStop::Done;
    while let Some(next) = next_attribution_block(attribution, &under_way.blocks) {
        let last = under_way.blocks.iter().rev().take(8);
        let longest_ms = last.map(|block| block.took_ms).max().unwrap_or(0);
        if !under_way.blocks.is_empty() && !under_way.budget.holds(now_ms(), longest_ms) {
            stop = AttributionStop::Budget;
            break;
        }
        let block = measure(attribution, &next, bench, images)?;
        store.attribution_block(&under_way.id, &block)?;
        under_way.blocks.push(block);
        observer.tell(&Event::AttributionBlock(AttributionBlockStored {
            done: under_way.blocks.len(),
            planned: planned_attribution_blocks(attribution),
            groups: next.groups.len(),
            functions: next.groups.iter().map(Vec::len).sum(),
            elapsed_ms: now_ms().saturating_sub(began_ms),
        }));
    }
    let single = under_way.blocks.iter().filter(|block| is_last_stage(block));
    let done = single.count();
    if stop == AttributionStop::Budget && done < FEWEST {
        return Err(LabError::Refused(format!(
            "the budget was spent when single functions had {done} of the {FEWEST} blocks that \
             they need at least: nothing can be said yet\n  next: the same command with a larger \
             --budget goes on from there; or fewer functions (--function, --most), or less work \
             for the program"
        )));
    }
    let conclusion = conclude_attribution(attribution, &under_way.blocks, stop)?;
    store.conclude_attribution(&under_way.id, &conclusion)?;
    Ok(())
}

/// One block: its layouts are linked, and measured twice, each time in fresh copies.
fn measure(
    attribution: &Attribution,
    next: &NextAttributionBlock,
    bench: &mut AloneBench,
    images: &Images,
) -> Result<AttributionBlock, LabError> {
    let began_ms = now_ms();
    let files = images.make(next)?;
    let put: Vec<Put> = files
        .into_iter()
        .enumerate()
        .map(|(number, image)| Put {
            name: format!("layout {number} of block {}", next.index),
            image,
        })
        .collect();
    let warmup = attribution.benchmark.warmup;
    let each = warmup + attribution.rounds;
    let mut hashes = Vec::new();
    let mut measurement = |first: u32| -> Result<Vec<SweepRound>, LabError> {
        let begins = RoundAt {
            block: Some(next.index),
            round: first,
        };
        hashes = bench.place(begins, &put)?;
        let mut rounds = Vec::with_capacity(attribution.rounds as usize);
        for round in 0..each {
            let at = RoundAt {
                block: Some(next.index),
                round: first + round,
            };
            let ran = bench.round(at)?;
            if round >= warmup {
                rounds.push(ran);
            }
        }
        Ok(rounds)
    };
    let measured = [measurement(0)?, measurement(each)?];
    Ok(AttributionBlock {
        index: next.index,
        stage: next.stage,
        groups: next.groups.clone(),
        others: next.others,
        one: next.one,
        other: next.other,
        starts: images.starts(next),
        images: hashes,
        measured,
        began_ms,
        took_ms: now_ms().saturating_sub(began_ms),
    })
}
