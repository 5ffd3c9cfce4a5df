//! How much of an effect placement alone can make.

use thiserror::Error;

use crate::Better;
use crate::groups::Groups;
use crate::quantile::{chi_squared_quantile, f_above, f_quantile, t_two_sided};

/// One block of one build: the metric in the block's layout and as shipped, in the same rounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Anchored {
    /// The metric in the block's layout, by round; positive.
    pub drawn: Vec<f64>,
    /// The metric of the image as shipped, by round; positive.
    pub shipped: Vec<f64>,
}

/// How much one build varies over its layouts, net of the noise of the rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayoutVariance {
    /// Layouts that it rests on.
    pub layouts: u32,
    /// Variance between layouts of the logarithm of the metric.
    pub variance: f64,
    /// Lower bound of the variance, 95 %.
    pub low: f64,
    /// Upper bound of the variance, 95 %.
    pub high: f64,
    /// Variance of a round's noise, on the same scale.
    pub noise: f64,
    /// How often rounds of one layout would vary as much between blocks.
    pub p_value: f64,
}

/// Why nothing is said about layouts.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum LayoutUntold {
    /// Too little was measured.
    #[error(
        "{layouts} layouts with {rounds} rounds in all cannot tell layouts from noise; it takes 3 layouts, and 2 rounds in most of them"
    )]
    TooFew {
        /// Layouts with a round.
        layouts: usize,
        /// Rounds in all.
        rounds: usize,
    },
    /// The rounds' noise explains what is seen.
    #[error("the noise of the rounds explains what differs between layouts; they vary by at most {:.2} % (standard deviation)", at_most * 100.0)]
    WithinNoise {
        /// Upper bound of the standard deviation between layouts, 95 %, relative (0.01 for 1 %).
        at_most: f64,
    },
    /// A round without its partner, or a value that has no logarithm.
    #[error(
        "block {block} has a round without its partner, or a value that is not positive and finite"
    )]
    Unusable {
        /// The block, from 0.
        block: usize,
    },
}

/// Below this p value a variance between layouts counts as seen.
const SEEN: f64 = 0.05;

/// The variance between layouts of one build, by the method of moments on ln(drawn ÷ shipped):
/// blocks are the groups, rounds the values in them. The bounds are those of Williams (Biometrika
/// 49, 1962): exact to a small error for normal noise and equal numbers of rounds.
///
/// What differs from block to block for any other reason (physical pages; bursts as long as a
/// block) counts as layout here.
///
/// # Errors
/// When there is too little to tell, a value is unusable, or the noise of the rounds explains what
/// is seen (then with the upper bound).
pub fn layout_variance(blocks: &[Anchored]) -> Result<LayoutVariance, LayoutUntold> {
    let groups = grouped(blocks)?;
    let (above, below) = (groups.count - 1.0, groups.total - groups.count);
    let noise = groups.within();
    let f = groups.mean_square_between() / noise;
    let (low, high) = (bound(&groups, 0.975), bound(&groups, 0.025));
    let p_value = f_above(f, above, below);
    if p_value > SEEN {
        return Err(LayoutUntold::WithinNoise {
            at_most: high.sqrt(),
        });
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a count of blocks in memory"
    )]
    let layouts = groups.count as u32;
    Ok(LayoutVariance {
        layouts,
        variance: groups.between(),
        low,
        high,
        noise,
        p_value,
    })
}

/// ln(drawn ÷ shipped) by block.
fn grouped(blocks: &[Anchored]) -> Result<Groups, LayoutUntold> {
    let mut ratios = Vec::with_capacity(blocks.len());
    for (block, anchored) in blocks.iter().enumerate() {
        ratios.push(anchored.ratios().ok_or(LayoutUntold::Unusable { block })?);
    }
    let groups = Groups::of(&ratios);
    if groups.count < 3.0 || groups.total < 2.0 * groups.count - 1.0 {
        let layouts = ratios.iter().filter(|rounds| !rounds.is_empty()).count();
        return Err(LayoutUntold::TooFew {
            layouts,
            rounds: ratios.iter().map(Vec::len).sum(),
        });
    }
    Ok(groups)
}

/// The bound that the variance between groups lies above with a probability of 1 − `share`
/// (Williams 1962: F and χ² each at half the error; a bound below zero is zero).
fn bound(groups: &Groups, share: f64) -> f64 {
    let (above, below) = (groups.count - 1.0, groups.total - groups.count);
    let excess = groups.squares_between - above * groups.within() * f_quantile(share, above, below);
    (excess / (groups.size * chi_squared_quantile(share, above))).max(0.0)
}

/// How much more a build varies over its layouts than another one: standard deviation ÷ standard
/// deviation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpreadRatio {
    /// new ÷ base; 0 where the new build's layouts do not differ by more than its noise.
    pub estimate: f64,
    /// Its lower bound; 0 where the noise hides the new build's spread.
    pub low: f64,
    /// Its upper bound; absent where the base's layouts may not differ at all.
    pub high: Option<f64>,
}

/// The ratio of the spreads of two builds over layouts that were drawn for each on its own, with
/// bounds that hold with a probability of 1 − `alpha`.
///
/// From the bounds of each variance at that level (those of [`layout_variance`]) by the method of
/// variance estimates recovery, on the logarithms (Zou, Huang and Zhang, Computational Statistics &
/// Data Analysis 53, 2009). `None` where the base's layouts do not differ by more than its noise:
/// then there is no spread to hold another one against.
///
/// # Errors
/// When there is too little to tell, or a value is unusable.
pub fn spread_ratio(
    base: &[Anchored],
    new: &[Anchored],
    alpha: f64,
) -> Result<Option<SpreadRatio>, LayoutUntold> {
    let known = |blocks: &[Anchored]| {
        let groups = grouped(blocks)?;
        let at = [1.0 - alpha / 2.0, alpha / 2.0].map(|share| bound(&groups, share));
        Ok::<_, LayoutUntold>((groups.between(), at))
    };
    let ((base, [base_low, base_high]), (new, [new_low, new_high])) = (known(base)?, known(new)?);
    if base <= 0.0 {
        return Ok(None);
    }
    // Distances on the scale of logarithms, from an estimate to one of its bounds.
    let apart = |one: f64, other: f64| (one / other).ln();
    let low = if new_low > 0.0 {
        (new / base) * (-apart(new, new_low).hypot(apart(base_high, base))).exp()
    } else {
        0.0
    };
    let high = (base_low > 0.0).then(|| {
        if new > 0.0 {
            (new / base) * apart(new_high, new).hypot(apart(base, base_low)).exp()
        } else {
            new_high / base_low
        }
    });
    Ok(Some(SpreadRatio {
        estimate: (new / base).sqrt(),
        low: low.sqrt(),
        high: high.map(f64::sqrt),
    }))
}

impl Anchored {
    fn ratios(&self) -> Option<Vec<f64>> {
        let usable = |value: &f64| *value > 0.0 && value.is_finite();
        let sound = self.drawn.len() == self.shipped.len()
            && self.drawn.iter().chain(&self.shipped).all(usable);
        sound.then(|| {
            self.drawn
                .iter()
                .zip(&self.shipped)
                .map(|(drawn, shipped)| drawn.ln() - shipped.ln())
                .collect()
        })
    }
}

/// Between which ratios new/base lies for 95 % of pairs of single, independent layouts when the
/// code is equally fast: (low, high), symmetric as ratios about 1. Multiply both by an estimate for
/// "time new/base anywhere from … to …".
///
/// exp(∓ t·√(σ²_base + σ²_new)), the degrees of freedom by Satterthwaite (Biometrics Bulletin 2,
/// 1946), because the variances are estimates.
#[must_use]
pub fn layout_alone(base: &LayoutVariance, new: &LayoutVariance) -> (f64, f64) {
    let variance = base.variance + new.variance;
    let freedom = variance.powi(2)
        / [base, new]
            .iter()
            .map(|one| one.variance.powi(2) / f64::from(one.layouts.max(2) - 1))
            .sum::<f64>();
    let half = if variance > 0.0 {
        t_two_sided(0.05, freedom) * variance.sqrt()
    } else {
        0.0
    };
    ((-half).exp(), half.exp())
}

/// Share of pairs of single layouts against which the images as shipped look better, 0 to 1; a tie
/// counts half.
///
/// `base_deviation[i]` is ln(base in layout i ÷ base as shipped), `new_deviation[j]` the same of
/// the new build. A pair of single layouts shows the as-shipped effect + `new_deviation[j]` −
/// `base_deviation[i]`; pairs of one block (i = j) are left out, as they may be matched. `None`
/// when there is no such pair, or a deviation is not a number.
#[must_use]
pub fn better_than(base_deviation: &[f64], new_deviation: &[f64], better: Better) -> Option<f64> {
    if base_deviation
        .iter()
        .chain(new_deviation)
        .any(|deviation| deviation.is_nan())
    {
        return None;
    }
    let (mut pairs, mut halves) = (0_u64, 0_u64);
    for (i, base) in base_deviation.iter().enumerate() {
        for (j, new) in new_deviation.iter().enumerate() {
            if i != j {
                pairs += 1;
                let worse = match better {
                    Better::Lower => new > base,
                    Better::Higher => new < base,
                };
                halves += if worse { 2 } else { u64::from(new == base) };
            }
        }
    }
    (pairs > 0).then(|| halves as f64 / (2 * pairs) as f64)
}
