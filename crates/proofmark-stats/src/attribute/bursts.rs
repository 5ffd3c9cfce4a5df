//! Bursts that hit one of a layout's two measurements.

use super::{Mixed, Twice};
use crate::median;

/// So many standard deviations apart two measurements of a layout may be.
const APART: f64 = 4.0;
/// The standard deviation of normal numbers ÷ the median of their sizes.
pub(super) const NORMAL: f64 = 1.4826;

/// Draws measurements of a layout together that are further apart than four times what such
/// differences usually are: then something else ran beside one of them. The larger one comes down,
/// as bursts make runs longer. What is usual is told by the median of all differences. One burst of
/// 20 % would otherwise outweigh all layouts that differ by 2 %.
///
/// This is for estimates alone. What was drawn in is no longer independent of the other
/// measurement, so that a test which exchanges values within each measurement may not see it
/// ([`super::signs`] has a way of its own).
pub fn without_bursts(blocks: &mut [Mixed]) {
    // What the measurements of a block differ by as a whole is no burst.
    let shifts: Vec<f64> = blocks.iter().map(shift).collect();
    let apart: Vec<f64> = blocks
        .iter()
        .zip(&shifts)
        .flat_map(|(block, shift)| all(block).map(move |twice| (twice[0] - twice[1] - shift).abs()))
        .collect();
    let Some(usual) = median(&apart) else { return };
    let most = APART * NORMAL * usual;
    for (block, shift) in blocks.iter_mut().zip(shifts) {
        for twice in [&mut block.one, &mut block.other]
            .into_iter()
            .chain(&mut block.kept)
        {
            let least = (twice[0] - shift).min(twice[1]);
            twice[0] = twice[0].min(least + shift + most);
            twice[1] = twice[1].min(least + most);
        }
    }
}

/// By how much the first measurements of a block are larger than the second, in the median.
fn shift(block: &Mixed) -> f64 {
    let apart: Vec<f64> = all(block).map(|twice| twice[0] - twice[1]).collect();
    median(&apart).unwrap_or(0.0)
}

fn all(block: &Mixed) -> impl Iterator<Item = &Twice> {
    [&block.one, &block.other].into_iter().chain(&block.kept)
}
