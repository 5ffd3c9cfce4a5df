//! Block after block, each stored before the next begins, until each address is known well enough.

use proofmark_conclude::{NextSweepBlock, RoundAt, SweepOrder, conclude_sweep, next_sweep_block};
use proofmark_evidence::record::{Sweep, SweepBlock, SweepStage, SweepStop, SweptAddress};
use proofmark_evidence::{LockedStore, SweepId};
use proofmark_layout::Spot;

use super::images::Images;
use crate::LabError;
use crate::alone::{AloneBench, Put};
use crate::budget::Budget;
use crate::clock::now_ms;
use crate::observer::{Event, Observer, SweepBlockStored};

/// Blocks without which nothing is said of an address.
const FEWEST: u32 = 2;

/// A sweep under way.
pub(super) struct SweepUnderWay {
    pub(super) id: SweepId,
    pub(super) sweep: Sweep,
    pub(super) blocks: Vec<SweepBlock>,
    pub(super) budget: Budget,
    /// The blocks of which there is a conclusion already.
    pub(super) concluded: usize,
}

/// Measures to the end and stores the conclusion.
pub(super) fn conduct(
    mut under_way: SweepUnderWay,
    bench: &mut AloneBench,
    images: &mut Images,
    store: &mut LockedStore,
    observer: &mut dyn Observer,
) -> Result<(), LabError> {
    let began_ms = now_ms();
    let (mut order, mut short) = (SweepOrder::default(), false);
    loop {
        let held = under_way.budget.holds(now_ms(), under_way.longest_ms());
        if !held && !under_way.blocks.is_empty() {
            break;
        }
        // Extremes are measured afresh once each address has been measured at all.
        short = short || (under_way.fewest() >= FEWEST && under_way.is_short());
        let next = order.next(&under_way.sweep, &under_way.blocks, short);
        let Some(next) = next else { break };
        let block = measure(&under_way.sweep, &next, bench, images)?;
        store.sweep_block(&under_way.id, &block)?;
        under_way.blocks.push(block);
        under_way.tell(began_ms, observer);
    }
    if under_way.blocks.len() == under_way.concluded {
        return Ok(());
    }
    let stop = under_way.stop()?;
    let conclusion = conclude_sweep(&under_way.sweep, &under_way.blocks, stop)?;
    store.conclude_sweep(&under_way.id, &conclusion)?;
    Ok(())
}

/// One block: fresh copies of the images, then its rounds.
fn measure(
    sweep: &Sweep,
    next: &NextSweepBlock,
    bench: &mut AloneBench,
    images: &mut Images,
) -> Result<SweepBlock, LabError> {
    let began_ms = now_ms();
    let leader = sweep.functions.first().map_or("", |one| one.name.as_str());
    let mut names = vec![format!("{leader} as shipped")];
    let mut spots = vec![images.set().as_shipped()];
    for index in &next.addresses {
        let lacking = || LabError::Fault(format!("a sweep has no address {index}"));
        let at = index.of(&sweep.addresses).ok_or_else(lacking)?;
        names.push(name(sweep, leader, at));
        spots.push(Spot {
            address: at.address,
            other: at.other,
        });
    }
    let files = images.at(&spots)?;
    let put: Vec<Put> = names
        .into_iter()
        .zip(files)
        .map(|(name, image)| Put { name, image })
        .collect();
    let begins = RoundAt {
        block: Some(next.index),
        round: 0,
    };
    let hashes = bench.place(begins, &put)?;
    let warmup = sweep.benchmark.warmup;
    let mut rounds = Vec::with_capacity(sweep.rounds as usize);
    for round in 0..warmup + sweep.rounds {
        let at = RoundAt {
            block: Some(next.index),
            round,
        };
        let ran = bench.round(at)?;
        if round >= warmup {
            rounds.push(ran);
        }
    }
    Ok(SweepBlock {
        index: next.index,
        stage: next.stage,
        addresses: next.addresses.clone(),
        images: hashes,
        rounds,
        began_ms,
        took_ms: now_ms().saturating_sub(began_ms),
    })
}

/// An image in words.
fn name(sweep: &Sweep, leader: &str, at: &SweptAddress) -> String {
    let within = if sweep.inside.is_some() {
        "code of "
    } else {
        ""
    };
    let mut name = format!("{within}{leader} at {:#x}", at.address);
    let against = sweep
        .against
        .as_ref()
        .and_then(|other| other.functions.first());
    if let (Some(against), Some(other)) = (against, at.other) {
        name.push_str(&format!(" and {} at {other:#x}", against.name));
    }
    name
}

impl SweepUnderWay {
    /// The longest of the last blocks, in milliseconds.
    fn longest_ms(&self) -> u64 {
        let last = self.blocks.iter().rev().take(8);
        last.map(|block| block.took_ms).max().unwrap_or(0)
    }

    /// Whether what is left of the budget is needed for the extremes.
    fn is_short(&self) -> bool {
        if self.blocks.is_empty() {
            return false;
        }
        let afresh = u64::from(self.sweep.design.afresh);
        // Three images run there, and a group and the anchor in the map.
        let share = 3.0 / f64::from(self.sweep.group + 1);
        let one = self.longest_ms() as f64 * share;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "milliseconds, far below 2⁵³"
        )]
        let needed = (one * afresh as f64) as u64;
        !self.budget.holds(now_ms(), needed + self.longest_ms())
    }

    /// Blocks of the map.
    fn map(&self) -> impl Iterator<Item = &SweepBlock> {
        let blocks = self.blocks.iter();
        blocks.filter(|block| block.stage == SweepStage::Map)
    }

    /// Blocks of the map that each address has.
    fn counts(&self) -> Vec<u32> {
        let mut counts = vec![0_u32; self.sweep.addresses.len()];
        for index in self.map().flat_map(|block| &block.addresses) {
            if let Some(count) = counts.get_mut(index.place()) {
                *count += 1;
            }
        }
        counts
    }

    /// The fewest of them.
    fn fewest(&self) -> u32 {
        self.counts().into_iter().min().unwrap_or(0)
    }

    /// Why measuring ended.
    ///
    /// # Errors
    ///
    /// When the budget ended it before each address had two blocks.
    fn stop(&self) -> Result<SweepStop, LabError> {
        let counts = self.counts();
        if self.fewest() < FEWEST {
            return Err(LabError::Refused(format!(
                "the budget was spent before each of the {} addresses had {FEWEST} blocks: nothing \
                 can be said yet\n  next: the same command with a larger --budget goes on from \
                 there; or a smaller --range, a larger --step, or less work for the program",
                counts.len()
            )));
        }
        let map: Vec<SweepBlock> = self.map().cloned().collect();
        let open = next_sweep_block(&self.sweep, &map, false);
        let open = open.is_some_and(|next| next.stage == SweepStage::Map);
        let lacking = next_sweep_block(&self.sweep, &self.blocks, true).is_some();
        let most = counts.iter().copied().max().unwrap_or(0);
        Ok(if open || lacking {
            SweepStop::Budget
        } else if most >= self.sweep.design.max_blocks {
            SweepStop::MostBlocks
        } else {
            SweepStop::Precise
        })
    }

    fn tell(&self, began_ms: u64, observer: &mut dyn Observer) {
        let runs: usize = self.map().map(|block| block.addresses.len()).sum();
        let addresses = self.sweep.addresses.len().max(1);
        let afresh = self
            .blocks
            .last()
            .is_some_and(|block| block.stage == SweepStage::Afresh);
        observer.tell(&Event::SweepBlock(SweepBlockStored {
            blocks_each: runs as f64 / addresses as f64,
            fewest: self.sweep.design.min_blocks,
            addresses,
            afresh,
            elapsed_ms: now_ms().saturating_sub(began_ms),
        }));
    }
}
