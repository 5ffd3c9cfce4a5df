//! The effect of each address, with its own interval and the one that holds for all together.

use super::beside::{beside_the_rest, means};
use super::measured::BlockValues;
use crate::moments::Moments;
use crate::quantile::t_two_sided;
use crate::{Effect, Interval};

/// The effect of an address.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AddressEffect {
    /// Blocks that it rests on.
    pub blocks: u32,
    /// The mean over its blocks, with the interval that holds for this address alone.
    pub own: Interval,
    /// Half the width that holds for all addresses together, on the scale of ln.
    pub together: f64,
    /// Variance of the estimate, on the scale of ln.
    pub variance: f64,
}

/// The effect of each of `count` addresses: the mean over its blocks of what it is beside the rest
/// of the block ± t(n − 1)·√(s² ÷ n + s₀² ÷ n₀), where s₀ and n₀ are those of the anchor beside the
/// rest of its blocks. With `confidence` (0 to 1) for each alone, and for all together by
/// Bonferroni's inequality, which holds however the addresses depend on one another. None for an
/// address of fewer than two blocks.
#[must_use]
pub fn address_effects(
    count: usize,
    blocks: &[BlockValues],
    confidence: f64,
) -> Vec<Option<AddressEffect>> {
    let beside = beside_the_rest(count, blocks);
    let moments = means(count, &beside.cells);
    let measured = moments.iter().filter(|moments| moments.count() > 1).count();
    let alpha = 1.0 - confidence;
    moments
        .iter()
        .map(|moments| {
            let own = moments.standard_error()?;
            let error = (own * own + beside.anchor).sqrt();
            let freedom = f64::from(moments.count() - 1);
            let half = t_two_sided(alpha, freedom) * error;
            Some(AddressEffect {
                blocks: moments.count(),
                own: around(moments.mean(), half),
                together: t_two_sided(alpha / measured as f64, freedom) * error,
                variance: error * error,
            })
        })
        .collect()
}

/// The mean of some effects on the scale of ln with its interval at `confidence` (0 to 1): mean ±
/// t(n − 1)·s/√n. None of fewer than two.
#[must_use]
pub fn t_interval(values: &[f64], confidence: f64) -> Option<Interval> {
    let moments = Moments::of(values);
    let error = moments.standard_error()?;
    let half = t_two_sided(1.0 - confidence, f64::from(moments.count() - 1)) * error;
    Some(around(moments.mean(), half))
}

fn around(mean: f64, half: f64) -> Interval {
    Interval {
        estimate: Effect::from_ln(mean),
        low: Effect::from_ln(mean - half),
        high: Effect::from_ln(mean + half),
    }
}

/// ln(one ÷ other) of two images in one block: the median over its rounds, because noise on shared
/// machines comes in bursts that hit single runs. Values are paired by round. None where a value
/// has no logarithm, or there is no round.
#[must_use]
pub fn paired(one: &[f64], other: &[f64]) -> Option<f64> {
    let block = BlockValues::new(other, [(0, one.to_vec())])?;
    block.beside_anchor().next().map(|(_, value)| value)
}
