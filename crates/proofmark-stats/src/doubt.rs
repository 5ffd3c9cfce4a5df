//! The assumptions behind the interval, tested on the blocks themselves.

use crate::block::median;
use crate::moments::Moments;

/// An assumption that the blocks seem to break.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Doubt {
    /// Neighbouring blocks are alike, so the interval is too narrow: noise that lasts longer than a
    /// block, or a machine that drifts.
    Correlated {
        /// Correlation of neighbouring blocks, −1 to 1.
        lag_one: f64,
        /// What independent blocks exceed once in a hundred times.
        limit: f64,
    },
    /// A few blocks lie far off, all on one side: rare bad layouts or disturbed blocks. Fewer
    /// blocks would have missed them, and the mean may not have seen all of its kind.
    OneSided {
        /// How many blocks.
        outliers: u32,
        /// Their mean distance from the median, on the scale of ln(new ÷ base); its sign says which
        /// side.
        distance: f64,
    },
}

/// Fewer blocks than this show nothing about the assumptions.
const ENOUGH: usize = 8;

/// Farther than this many robust standard deviations from the median is far off.
const FAR: f64 = 5.0;

/// Tests the assumptions of the interval: blocks are independent, and there are no rare one-sided
/// disasters. Empty where nothing speaks against them, which with so few blocks is not much.
#[must_use]
pub fn check(effects: &[f64]) -> Vec<Doubt> {
    if effects.len() < ENOUGH || effects.iter().any(|effect| !effect.is_finite()) {
        return Vec::new();
    }
    correlated(effects)
        .into_iter()
        .chain(one_sided(effects))
        .collect()
}

/// The lag-one correlation against its distribution for independent blocks: mean −1 ÷ n, variance
/// (n−2)² ÷ (n²(n−1)) (Dufour and Roy 1985).
fn correlated(effects: &[f64]) -> Option<Doubt> {
    let moments = Moments::of(effects);
    let n = effects.len() as f64;
    let products = effects
        .windows(2)
        .map(|pair| (pair[0] - moments.mean()) * (pair[1] - moments.mean()))
        .sum::<f64>();
    let lag_one = products / moments.squares();
    let limit = -1.0 / n + 2.326 * (n - 2.0) / (n * (n - 1.0).sqrt());
    (lag_one > limit).then_some(Doubt::Correlated { lag_one, limit })
}

/// Blocks far from the median, by the median absolute deviation, where they all lie on one side. A
/// single one has no side to speak of.
fn one_sided(effects: &[f64]) -> Option<Doubt> {
    let middle = median(effects)?;
    let deviations: Vec<f64> = effects.iter().map(|effect| effect - middle).collect();
    // 1.4826 makes the median absolute deviation a standard deviation for normal blocks.
    let scale = 1.4826
        * median(
            &deviations
                .iter()
                .map(|deviation| deviation.abs())
                .collect::<Vec<_>>(),
        )?;
    let far: Vec<f64> = deviations
        .into_iter()
        .filter(|deviation| deviation.abs() > FAR * scale)
        .collect();
    let one_side = far.iter().all(|deviation| *deviation > 0.0)
        || far.iter().all(|deviation| *deviation < 0.0);
    let outliers = Moments::of(&far);
    (scale > 0.0 && one_side && outliers.count() >= 2).then(|| Doubt::OneSided {
        outliers: outliers.count(),
        distance: outliers.mean(),
    })
}
