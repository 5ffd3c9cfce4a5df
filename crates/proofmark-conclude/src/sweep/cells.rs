//! From recorded blocks to one number for each address and block.

use proofmark_evidence::record::{Sweep, SweepBlock, SweepStage};
use proofmark_stats::sweep::{Cell, beside_anchor, spread_beside};

/// The values of one image of a block, round by round; 0 is the anchor.
pub(super) fn values(block: &SweepBlock, image: usize) -> Vec<f64> {
    let runs = block.rounds.iter().map(|round| round.runs.get(image));
    runs.flatten().map(|run| run.value).collect()
}

/// The logarithm of each address beside the anchor in the blocks of a stage.
pub(super) fn effects<'a>(
    blocks: impl IntoIterator<Item = &'a SweepBlock>,
    stage: SweepStage,
) -> Vec<Cell> {
    cells(blocks, stage, beside_anchor)
}

/// The logarithm of the spread of runs at each address beside the anchor's in the same rounds.
pub(super) fn spreads(blocks: &[SweepBlock]) -> Vec<Cell> {
    cells(blocks, SweepStage::Map, spread_beside)
}

fn cells<'a>(
    blocks: impl IntoIterator<Item = &'a SweepBlock>,
    stage: SweepStage,
    of: impl Fn(&[f64], &[f64]) -> Option<f64>,
) -> Vec<Cell> {
    let mut cells = Vec::new();
    for block in blocks.into_iter().filter(|block| block.stage == stage) {
        let anchor = values(block, 0);
        for (image, address) in (1..).zip(&block.addresses) {
            if let Some(value) = of(&values(block, image), &anchor) {
                cells.push(Cell {
                    address: address.place(),
                    block: block.index,
                    value,
                });
            }
        }
    }
    cells
}

/// How many of these blocks each address has.
pub(super) fn blocks_of_each(sweep: &Sweep, map: &[&SweepBlock]) -> Vec<u32> {
    let mut counts = vec![0; sweep.addresses.len()];
    for address in map.iter().flat_map(|block| &block.addresses) {
        if let Some(count) = counts.get_mut(address.place()) {
            *count += 1;
        }
    }
    counts
}
