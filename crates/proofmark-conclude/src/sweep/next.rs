//! What is measured next follows from the blocks that are there, so that an interrupted sweep goes
//! on as if it had not been.

use proofmark_evidence::record::{Sweep, SweepBlock, SweepStage};
use proofmark_stats::sweep::address_effects;
use proofmark_terms::AddressIndex;
use rand::seq::SliceRandom;

use super::cells::{blocks_of_each, measured};
use crate::Draws;

/// The block that comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextSweepBlock {
    /// From 0.
    pub index: u32,
    /// What it is for.
    pub stage: SweepStage,
    /// The addresses, as indices into the sweep's.
    pub addresses: Vec<AddressIndex>,
}

/// The blocks of a sweep in their order. What comes next follows from the blocks that are there;
/// the passes that are over are remembered, so that each is worked out once.
#[derive(Clone, Debug, Default)]
pub struct SweepOrder {
    pass: u32,
    /// Blocks of the map before this pass.
    before: usize,
    /// The groups of this pass, once they are known.
    groups: Option<Vec<Vec<AddressIndex>>>,
}

impl SweepOrder {
    /// The block that comes next; none where the sweep is over. `blocks` are those of the calls
    /// before, and more.
    ///
    /// The addresses that are still wanted are taken in passes: each pass takes all of them once,
    /// in an order drawn for it and cut into groups of nearly one size. An address is wanted until
    /// it has the fewest blocks, and from then on until its own interval is as narrow as asked for
    /// or it has the most blocks; that is looked at between passes. `short` leaves the map where it
    /// is, so that there is time for the extremes. A map that was left goes on in a later sitting,
    /// and what was measured afresh of the same two extremes counts then.
    #[must_use]
    pub fn next(
        &mut self,
        sweep: &Sweep,
        blocks: &[SweepBlock],
        short: bool,
    ) -> Option<NextSweepBlock> {
        let index = u32::try_from(blocks.len()).unwrap_or(u32::MAX);
        let map: Vec<&SweepBlock> = blocks
            .iter()
            .filter(|block| block.stage == SweepStage::Map)
            .collect();
        if !short && let Some(addresses) = self.in_pass(sweep, &map) {
            return Some(NextSweepBlock {
                index,
                stage: SweepStage::Map,
                addresses,
            });
        }
        let (least, greatest) = extremes(sweep, blocks)?;
        let addresses = vec![least, greatest];
        let afresh = blocks
            .iter()
            .filter(|block| block.stage == SweepStage::Afresh && block.addresses == addresses);
        let lacking = afresh.count() < sweep.design.afresh as usize;
        (lacking && least != greatest).then_some(NextSweepBlock {
            index,
            stage: SweepStage::Afresh,
            addresses,
        })
    }

    /// The next group of the pass that is under way, or the first of the next one, by the blocks of
    /// the map.
    fn in_pass(&mut self, sweep: &Sweep, blocks: &[&SweepBlock]) -> Option<Vec<AddressIndex>> {
        loop {
            let before = blocks.get(..self.before)?;
            let pass = self.pass;
            let groups = self
                .groups
                .get_or_insert_with(|| groups(sweep, before, pass));
            if groups.is_empty() {
                return None;
            }
            if let Some(next) = groups.get(blocks.len() - self.before) {
                return Some(next.clone());
            }
            self.before += groups.len();
            self.pass += 1;
            self.groups = None;
        }
    }
}

/// [`SweepOrder::next`] of a sweep whose passes nobody remembers.
#[must_use]
pub fn next_sweep_block(
    sweep: &Sweep,
    blocks: &[SweepBlock],
    short: bool,
) -> Option<NextSweepBlock> {
    SweepOrder::default().next(sweep, blocks, short)
}

/// The addresses with the least and the greatest value in the map, as indices.
#[must_use]
pub fn extremes(sweep: &Sweep, blocks: &[SweepBlock]) -> Option<(AddressIndex, AddressIndex)> {
    let map = measured(blocks, SweepStage::Map);
    let found = address_effects(sweep.addresses.len(), &map, sweep.design.confidence);
    let known = AddressIndex::each(&found)
        .filter_map(|(index, found)| Some((index, found.as_ref()?.own.estimate.ln())));
    let known: Vec<(AddressIndex, f64)> = known.collect();
    let least = known.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let greatest = known.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some((least.0, greatest.0))
}

/// The groups of one pass, by the blocks before it.
fn groups(sweep: &Sweep, before: &[&SweepBlock], pass: u32) -> Vec<Vec<AddressIndex>> {
    let mut wanted = wanted(sweep, before);
    wanted.shuffle(&mut Draws::new(sweep.design.seed).rng(&format!("pass {pass} of a sweep")));
    let most = (sweep.group as usize).max(1);
    let count = wanted.len().div_ceil(most);
    // Of nearly one size: a group of one at the end would hardly use its anchor.
    let (each, more) = (wanted.len() / count.max(1), wanted.len() % count.max(1));
    let mut rest = wanted.as_slice();
    (0..count)
        .map(|group| {
            let (taken, left) = rest.split_at(each + usize::from(group < more));
            rest = left;
            taken.to_vec()
        })
        .collect()
}

/// The addresses that need more blocks.
fn wanted(sweep: &Sweep, blocks: &[&SweepBlock]) -> Vec<AddressIndex> {
    let design = &sweep.design;
    let counts = blocks_of_each(sweep, blocks);
    if counts.iter().all(|count| *count < design.min_blocks) {
        return AddressIndex::all(counts.len()).collect();
    }
    let map = measured(blocks.iter().copied(), SweepStage::Map);
    let found = address_effects(sweep.addresses.len(), &map, design.confidence);
    let narrow = design.precision.ln_1p();
    let wants = |(count, found): (&u32, &Option<proofmark_stats::sweep::AddressEffect>)| {
        let wide = found.is_none_or(|found| found.own.half_width() > narrow);
        *count < design.min_blocks || (wide && *count < design.max_blocks)
    };
    AddressIndex::all(counts.len())
        .zip(counts.iter().zip(&found))
        .filter(|(_, both)| wants(*both))
        .map(|(index, _)| index)
        .collect()
}
