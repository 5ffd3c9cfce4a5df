//! The effect of each address, with its own interval and the one that holds for all together.

use super::Cell;
use crate::moments::Moments;
use crate::quantile::t_two_sided;
use crate::{Effect, Interval, median};

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

/// The effect of each of `count` addresses: mean ± t(n − 1)·s/√n over its blocks, with `confidence`
/// (0 to 1) for each alone, and for all together by Bonferroni's inequality, which holds however
/// the addresses depend on one another. None for an address of fewer than two blocks.
#[must_use]
pub fn address_effects(
    count: usize,
    cells: &[Cell],
    confidence: f64,
) -> Vec<Option<AddressEffect>> {
    let mut moments = vec![Moments::default(); count];
    for cell in cells {
        if let Some(moments) = moments.get_mut(cell.address) {
            moments.add(cell.value);
        }
    }
    let measured = moments.iter().filter(|moments| moments.count() > 1).count();
    let alpha = 1.0 - confidence;
    moments
        .iter()
        .map(|moments| {
            let error = moments.standard_error()?;
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

/// ln(at the address ÷ as shipped) in one block: the median over its rounds, because noise on
/// shared machines comes in bursts that hit single runs. Values are paired by round. None where a
/// value has no logarithm, or there is no round.
#[must_use]
pub fn beside_anchor(address: &[f64], anchor: &[f64]) -> Option<f64> {
    let usable = |value: &f64| *value > 0.0 && value.is_finite();
    let sound = address.len() == anchor.len() && address.iter().chain(anchor).all(usable);
    let ratios: Vec<f64> = address
        .iter()
        .zip(anchor)
        .map(|(address, anchor)| address.ln() - anchor.ln())
        .collect();
    median(&ratios).filter(|_| sound)
}

/// ln(spread of runs at the address ÷ spread as shipped) in one block; the spread is the standard
/// deviation of the logarithms over its rounds. None where either does not vary, or of fewer than
/// two rounds.
#[must_use]
pub fn spread_beside(address: &[f64], anchor: &[f64]) -> Option<f64> {
    let spread = |values: &[f64]| {
        let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
        let variance = Moments::of(&logs).variance()?;
        (variance > 0.0).then(|| variance.ln() / 2.0)
    };
    Some(spread(address)? - spread(anchor)?)
}
