//! From recorded blocks to what is measured in each.

use proofmark_evidence::record::{Sweep, SweepBlock, SweepStage};
use proofmark_stats::sweep::BlockValues;

/// The values of one image of a block, round by round; 0 is the anchor.
pub(super) fn values(block: &SweepBlock, image: usize) -> Vec<f64> {
    let runs = block.rounds.iter().map(|round| round.runs.get(image));
    runs.flatten().map(|run| run.value).collect()
}

/// What the blocks of a stage measured.
pub(super) fn measured<'a>(
    blocks: impl IntoIterator<Item = &'a SweepBlock>,
    stage: SweepStage,
) -> Vec<BlockValues> {
    let blocks = blocks.into_iter().filter(|block| block.stage == stage);
    let each = blocks.filter_map(|block| {
        let images = (1..).zip(&block.addresses);
        let addresses = images.map(|(image, address)| (address.place(), values(block, image)));
        BlockValues::new(&values(block, 0), addresses)
    });
    each.collect()
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
