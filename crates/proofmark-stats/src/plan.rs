//! How many blocks it takes, and what a number of blocks can show.

use crate::moments::Moments;
use crate::quantile::{t_quantile, t_two_sided};
use crate::{Looks, Rule};

/// The power of [`resolvable`]: the share of tries in which an effect of that size is told from
/// none.
pub const POWER: f64 = 0.8;

/// Nobody measures more blocks than this.
const BEYOND_REACH: u32 = 10_000_000;

/// Blocks after which the rule would stop if the mean and the spread of `effects` stayed as they
/// are; at least as many as there are. `None` for fewer than two blocks, or where no number of
/// blocks would do: the estimate lies on the edge of the margin or within the widening.
///
/// Uses the rule's own α′ also beyond its last look; a design that reaches that far pays a little
/// more (from 60 to 200 blocks: 9 %).
#[must_use]
pub fn blocks_needed(effects: &[f64], rule: &Rule) -> Option<u32> {
    let moments = Moments::of(effects);
    let (mean, spread) = (moments.mean().abs(), moments.variance()?.sqrt());
    // Either of two half-widths decides: the interval leaves "no change" outside, or it lies inside
    // the margin.
    let allowed = rule.half_width().unwrap_or_else(|| {
        let widening = rule.widening_after(effects.len());
        let told_apart = mean - widening;
        let inside = rule.margin().ln() - mean - widening;
        told_apart.max(inside)
    });
    if allowed <= 0.0 {
        return None;
    }
    let enough = |blocks: u32| half_width(rule.looks(), spread, blocks) < allowed || spread == 0.0;
    let (mut short, mut high) = (moments.count().max(rule.looks().min()), BEYOND_REACH);
    if enough(short) {
        return Some(short);
    }
    if !enough(high) {
        return None;
    }
    while high - short > 1 {
        let middle = u32::midpoint(short, high);
        (short, high) = if enough(middle) {
            (short, middle)
        } else {
            (middle, high)
        };
    }
    Some(high)
}

fn half_width(looks: &Looks, spread: f64, blocks: u32) -> f64 {
    let critical = looks
        .critical(blocks)
        .unwrap_or_else(|| t_two_sided(looks.nominal_alpha(), f64::from(blocks - 1)));
    critical * spread / f64::from(blocks).sqrt()
}

/// The smallest relative effect (0.01 for 1 %) that `blocks` blocks of this spread tell from none
/// with a probability of at least [`POWER`], looking after each: (t(1−α′/2) + t(power))·s ÷ √n at
/// the last look alone, so the looks before it are a bonus. `spread` ≥ 0 is the standard deviation
/// of the blocks' effects. Fewer blocks than the first look count as that many, more than the last
/// as the last. Infinite when it is beyond every number.
#[must_use]
pub fn resolvable(spread: f64, blocks: u32, looks: &Looks) -> f64 {
    let blocks = blocks.clamp(looks.min(), looks.max());
    let freedom = f64::from(blocks - 1);
    let power = t_quantile(POWER, freedom) * spread / f64::from(blocks).sqrt();
    (half_width(looks, spread, blocks) + power).exp_m1()
}
