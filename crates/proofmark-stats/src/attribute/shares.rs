//! First-order and total shares of the variance between layouts.

use super::{Mixed, crossed, less};
use crate::moments::Moments;
use crate::quantile::t_two_sided;

/// What the layouts of some blocks say.
#[derive(Clone, Debug, PartialEq)]
pub struct Shares {
    /// Blocks that it rests on.
    pub blocks: u32,
    /// Variance between layouts, noise removed, on the scale of ln; below 0 where noise has its
    /// way.
    pub variance: Bounded,
    /// Variance of one measurement of a layout around its own, on the same scale.
    pub noise: f64,
    /// For each group, in their order; none where the layouts do not vary beyond the noise.
    pub groups: Vec<Option<Part>>,
}

/// An estimate with its bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounded {
    /// The estimate.
    pub estimate: f64,
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

/// What the places of a group explain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// By themselves: the first-order share (Sobol' index), 0 to 1.
    pub first: Bounded,
    /// Together with everything they act with: the total share, 0 to 1.
    pub total: Bounded,
}

/// What the places of each group explain of the variance between layouts, with intervals at
/// `confidence` (0 to 1), each for itself. None of fewer than two sound blocks.
///
/// With E over blocks, V = ½·E(A − B)² is the variance; A and U share the group's places and B and
/// U everything else. First-order share: 1 − ½·E(A − U)² ÷ V. Total share: ½·E(B − U)² ÷ V. These
/// are Jansen's estimators (Comput. Phys. Commun. 117, 1999; Saltelli et al., Comput. Phys. Commun.
/// 181, 2010, table 2). 1 − ½·E(Y − Yᵘ)² ÷ V is also how the estimator T of Janon, Klein, Lagnoux,
/// Nodet and Prieur (ESAIM Probab. Stat. 18, 2014) can be written, there with V of the pair itself.
/// Here it is of A and B, because differences within a block are free of whatever the block has in
/// common.
///
/// Each square is the product of the two measurements of its difference. One measurement alone
/// would add its noise to both E and V, and draw a share of 0.7 towards 0.5 where noise is as large
/// as what is looked for (the attenuation of Spearman 1904).
///
/// Intervals: a ratio of two means varies as the mean of its influence (the delta method), here
/// with t(n − 1). Kept within 0 and 1.
#[must_use]
pub fn shares(blocks: &[Mixed], groups: usize, confidence: f64) -> Option<Shares> {
    let blocks: Vec<&Mixed> = blocks.iter().filter(|block| block.is_of(groups)).collect();
    let count = u32::try_from(blocks.len())
        .ok()
        .filter(|count| *count > 1)?;
    let t = t_two_sided(1.0 - confidence, f64::from(count - 1));
    let halves = |difference: &dyn Fn(&Mixed) -> [f64; 2]| -> Vec<f64> {
        let square = |block: &&Mixed| {
            let difference = difference(block);
            crossed(difference, difference) / 2.0
        };
        blocks.iter().map(square).collect()
    };
    let whole = halves(&|block| less(block.one, block.other));
    let moments = Moments::of(&whole);
    let half = t * moments.standard_error()?;
    let variance = Bounded {
        estimate: moments.mean(),
        low: moments.mean() - half,
        high: moments.mean() + half,
    };
    let part = |group: usize| {
        let rest = halves(&|block| less(block.one, block.kept[group]));
        let own = halves(&|block| less(block.other, block.kept[group]));
        let kept: Vec<f64> = whole.iter().zip(&rest).map(|(v, rest)| v - rest).collect();
        Some(Part {
            first: ratio(&kept, &whole, t)?,
            total: ratio(&own, &whole, t)?,
        })
    };
    Some(Shares {
        blocks: count,
        variance,
        noise: noise(&blocks),
        groups: (0..groups).map(part).collect(),
    })
}

/// The ratio of two means, kept within 0 and 1; none where the lower one is not above 0.
fn ratio(above: &[f64], below: &[f64], t: f64) -> Option<Bounded> {
    let whole = Moments::of(below).mean();
    if whole <= 0.0 {
        return None;
    }
    let estimate = Moments::of(above).mean() / whole;
    let influence: Vec<f64> = above
        .iter()
        .zip(below)
        .map(|(above, below)| (above - estimate * below) / whole)
        .collect();
    let half = t * Moments::of(&influence).standard_error()?;
    let within = |value: f64| value.clamp(0.0, 1.0);
    Some(Bounded {
        estimate: within(estimate),
        low: within(estimate - half),
        high: within(estimate + half),
    })
}

/// The variance of one measurement: half the mean square of what the two differ by, when the mean
/// difference of the block is taken away.
fn noise(blocks: &[&Mixed]) -> f64 {
    let within = |block: &&Mixed| {
        let all = [block.one, block.other];
        let apart: Vec<f64> = all
            .iter()
            .chain(&block.kept)
            .map(|twice| twice[0] - twice[1])
            .collect();
        Moments::of(&apart).variance()
    };
    let each: Vec<f64> = blocks.iter().filter_map(within).collect();
    Moments::of(&each).mean() / 2.0
}
