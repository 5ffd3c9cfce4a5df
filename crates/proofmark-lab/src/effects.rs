//! From the rounds of blocks to one number a block.

use proofmark_evidence::record::{ArmRef, Block};
use proofmark_stats::block_effect;

use crate::LabError;
use crate::arms::values;

/// The effects of one arm against another, block by block.
///
/// # Errors
///
/// When a block lacks one of the arms or holds a value without a logarithm: the record is damaged.
pub fn effects(blocks: &[Block], new: ArmRef, base: ArmRef) -> Result<Vec<f64>, LabError> {
    blocks
        .iter()
        .map(|block| {
            let damaged =
                |why: &str| LabError::Plan(format!("block {} of the evidence {why}", block.index));
            let (new, base) = values(block, new)
                .zip(values(block, base))
                .ok_or_else(|| damaged("lacks an arm"))?;
            block_effect(&new, &base).map_err(|error| damaged(&error.to_string()))
        })
        .collect()
}
