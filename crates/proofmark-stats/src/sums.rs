//! Whether the mean of ratios and the ratio of sums tell the same of two builds.

use crate::moments::Moments;
use crate::quantile::{normal_above, normal_exceeded};

/// Fewer blocks than this say nothing of the error.
const FEWEST: usize = 8;
/// So many standard errors lie both apart at least.
const ERRORS: f64 = 3.0;

/// What two builds make of each other in the mean of ratios, and in the sum of all values; as ln.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SumsApart {
    /// The mean over blocks and rounds of ln(newᵢ ÷ baseᵢ): what effects are.
    pub in_the_middle: f64,
    /// ln(Σ newᵢ ÷ Σ baseᵢ).
    pub in_sum: f64,
}

/// The values of both builds in the rounds of each block, new first. `None` where both figures are
/// less than `margin` (on the scale of ln) apart, or within what their error explains: the
/// jackknife's over blocks (Miller, Biometrika 61, 1974), which a single disturbed block makes
/// large. Three errors are asked of one pair; of `among` pairs as many as make it no likelier that
/// any of them is told by chance (Bonferroni, normal quantiles). Both are apart where the runs of
/// one build take now one time and now another: a mean of logarithms weighs few long runs less than
/// a sum does.
#[must_use]
pub fn sums_apart(blocks: &[(Vec<f64>, Vec<f64>)], margin: f64, among: usize) -> Option<SumsApart> {
    let parts: Vec<Part> = blocks
        .iter()
        .filter_map(|(new, base)| Part::of(new, base))
        .collect();
    if parts.len() < FEWEST {
        return None;
    }
    let all = apart(parts.iter());
    let without = (0..parts.len()).map(|out| {
        let others = parts.iter().enumerate().filter(move |(at, _)| *at != out);
        let one = apart(others.map(|(_, part)| part));
        one.in_sum - one.in_the_middle
    });
    let mut left: Moments = Moments::default();
    without.for_each(|gap| left.add(gap));
    let count = parts.len() as f64;
    let error = ((count - 1.0).powi(2) / count * left.variance()?).sqrt();
    let gap = (all.in_sum - all.in_the_middle).abs();
    (gap > margin && gap > errors(among) * error).then_some(all)
}

/// How many standard errors one of so many pairs lies apart by chance as seldom as one alone does
/// more than [`ERRORS`].
fn errors(among: usize) -> f64 {
    normal_exceeded(normal_above(ERRORS) / among.max(1) as f64)
}

/// One block.
struct Part {
    new: f64,
    base: f64,
    effect: f64,
}

impl Part {
    fn of(new: &[f64], base: &[f64]) -> Option<Part> {
        Some(Part {
            new: new.iter().sum(),
            base: base.iter().sum(),
            effect: crate::block_effect(new, base).ok()?,
        })
    }
}

fn apart<'a>(parts: impl Iterator<Item = &'a Part>) -> SumsApart {
    let (mut new, mut base, mut effect, mut count) = (0.0, 0.0, 0.0, 0.0);
    for part in parts {
        new += part.new;
        base += part.base;
        effect += part.effect;
        count += 1.0;
    }
    SumsApart {
        in_the_middle: effect / count,
        in_sum: (new / base).ln(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers below 1 that look drawn.
    fn drawn(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        }
    }

    fn blocks(count: usize, mut one: impl FnMut() -> (f64, f64)) -> Vec<(Vec<f64>, Vec<f64>)> {
        let mut block = || (0..4).map(|_| one()).unzip();
        (0..count).map(|_| block()).collect()
    }

    #[test]
    fn runs_of_two_kinds_are_told_and_noise_is_not() {
        let mut next = drawn(1);
        // Half of new's runs take a half, half of them twice as long.
        let two = blocks(30, || (if next() < 0.5 { 5.0 } else { 20.0 }, 10.0));
        let found = sums_apart(&two, 0.01, 1).unwrap();
        assert!(found.in_the_middle.abs() < 0.15, "{found:?}");
        assert!((found.in_sum - 1.25_f64.ln()).abs() < 0.15, "{found:?}");
        // Noise of 10 % in both, and rarely a long one in either.
        let mut told = 0;
        for seed in 0..200 {
            let mut next = drawn(seed);
            let mut noisy = || {
                let burst = if next() < 0.02 { 3.0 } else { 1.0 };
                10.0 * (1.0 + 0.1 * next()) * burst
            };
            let both = blocks(15, || (noisy(), noisy()));
            told += u32::from(sums_apart(&both, 0.01, 1).is_some());
        }
        assert!(told <= 4, "{told} of 200");
        // One disturbed run is no other kind.
        let mut once = blocks(15, || (10.0, 10.0));
        once[3].0[1] = 90.0;
        assert_eq!(sums_apart(&once, 0.01, 1), None);
        assert_eq!(sums_apart(&two[..7], 0.01, 1), None);
    }

    #[test]
    fn of_many_pairs_each_needs_more_errors() {
        // scipy.stats.norm.isf(norm.sf(3) / n)
        for (among, truth) in [(0, 3.0), (1, 3.0), (10, 3.642_522_28), (100, 4.197_414_44)] {
            let found = errors(among);
            assert!((found - truth).abs() < 1e-7, "{among}: {found}");
        }
    }
}
