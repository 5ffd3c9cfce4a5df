//! What the places of functions explain of layouts that were drawn for something else.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::shares::Bounded;
use crate::quantile::f_above;

/// Permutations drawn: the least p value is one in so many and one more.
const DRAWS: u32 = 999;
/// Samples of layouts drawn for the bounds of a share.
const RESAMPLED: usize = 500;
/// Below this p value a function stands out.
const SEEN: f64 = 0.05;
/// Bytes that a class of starts has.
const GRAIN: u64 = 16;
/// What starts are taken modulo.
const MODULI: [u64; 3] = [32, 64, 128];
/// Fewest layouts for each class of starts, in the mean.
const EACH: usize = 5;
/// The least tail that is told apart.
const LEAST: f64 = 1e-290;

/// Where one function starts in each layout.
#[derive(Clone, Debug, PartialEq)]
pub struct Places {
    /// By layout, as linked.
    pub starts: Vec<u64>,
}

/// A function whose place explains what differs between layouts, or may.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ByPlace {
    /// Its index.
    pub function: usize,
    /// Its start modulo this explains most.
    pub modulus: u64,
    /// The share of the variance between layouts, noise removed, 0 to 1.
    pub share: Bounded,
    /// How often the best of all functions would seem to explain as much if none mattered, 0 to 1;
    /// of those behind the first, of what is left.
    pub p_value: f64,
}

/// Whose place explains what differs between layouts: the functions that stand out, in order, and
/// the first that does not. `values` has the logarithm of the metric in each layout, `noise` is the
/// variance of such a value around its layout's own, on the same scale; `confidence` (0 to 1) is
/// that of a share's bounds.
///
/// Layouts are put into classes by the start of a function modulo 32, 64 and 128, in steps of 16
/// bytes. The statistic is the tail of F between classes, so that moduli of more classes are not
/// preferred; that of the best function and modulus is compared with the best of values that are
/// exchanged between layouts at random, 999 times: where no function matters, one is called at the
/// stated rate at most. What it explains is then taken away, and the rest is looked at again.
///
/// Share: ω² (Hays 1963), with the noise taken out of the variance. Of several functions the one
/// that seems to explain most was chosen, so that it is rather too large. Its bounds are
/// percentiles of layouts drawn again with replacement.
#[must_use]
pub fn explained_by_places(
    values: &[f64],
    noise: f64,
    functions: &[Places],
    confidence: f64,
    seed: u64,
) -> Vec<ByPlace> {
    let mut found = Vec::new();
    let mut draw = ChaCha8Rng::seed_from_u64(seed);
    let mut rest = values.to_vec();
    let mut splits = splits(values.len(), functions);
    while let Some((split, most)) = best(&rest, &splits) {
        let split = split.clone();
        let mut exchanged = rest.clone();
        let mut as_large = 0_u32;
        for _ in 0..DRAWS {
            exchanged.shuffle(&mut draw);
            let drawn = best(&exchanged, &splits).map_or(0.0, |(_, most)| most);
            as_large += u32::from(drawn >= most - most.abs() * 1e-12);
        }
        let p_value = f64::from(as_large + 1) / f64::from(DRAWS + 1);
        let least = found.last().map_or(0.0, |one: &ByPlace| one.p_value);
        found.push(ByPlace {
            function: split.function,
            modulus: split.modulus,
            share: bounded(values, noise, &split, confidence, &mut draw),
            p_value: p_value.max(least),
        });
        if p_value > SEEN {
            break;
        }
        rest = without(&rest, &split);
        splits.retain(|other| other.function != split.function);
    }
    found
}

/// The layouts in classes by where one function starts.
#[derive(Clone, Debug)]
pub(super) struct Split {
    pub(super) function: usize,
    pub(super) modulus: u64,
    /// Of each layout.
    pub(super) class: Vec<usize>,
    pub(super) classes: usize,
}

fn splits(layouts: usize, functions: &[Places]) -> Vec<Split> {
    let mut splits = Vec::new();
    for (function, places) in functions.iter().enumerate() {
        for modulus in MODULI {
            let kind = |start: &u64| start % modulus / GRAIN;
            let mut kinds: Vec<u64> = places.starts.iter().map(kind).collect();
            kinds.sort_unstable();
            kinds.dedup();
            let enough = kinds.len() > 1 && layouts >= EACH * kinds.len();
            if places.starts.len() != layouts || !enough {
                continue;
            }
            let class = |start| kinds.binary_search(&kind(start)).unwrap_or_default();
            splits.push(Split {
                function,
                modulus,
                class: places.starts.iter().map(class).collect(),
                classes: kinds.len(),
            });
        }
    }
    splits
}

/// Sums of squares between classes and within them.
fn squares(values: &[f64], split: &Split) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let mut sums = vec![(0.0, 0.0); split.classes];
    let mut all = 0.0;
    for (value, class) in values.iter().zip(&split.class) {
        sums[*class].0 += value - mean;
        sums[*class].1 += 1.0;
        all += (value - mean).powi(2);
    }
    let between = between(&sums);
    (between, (all - between).max(0.0))
}

/// The sum of squares between classes, from each one's sum of deviations and its count.
fn between(sums: &[(f64, f64)]) -> f64 {
    let of_class = |(sum, count): &(f64, f64)| {
        if *count > 0.0 { sum * sum / count } else { 0.0 }
    };
    sums.iter().map(of_class).sum()
}

/// The split that tells most, and how much: −ln of the tail of F. Of splits into as many classes
/// the one with most between them tells most, so that a tail is looked up for each number of
/// classes.
pub(super) fn best<'s>(values: &[f64], splits: &'s [Split]) -> Option<(&'s Split, f64)> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let centred: Vec<f64> = values.iter().map(|value| value - mean).collect();
    let all: f64 = centred.iter().map(|value| value * value).sum();
    let mut most: Vec<(&Split, f64)> = Vec::with_capacity(MODULI.len());
    let mut sums = Vec::new();
    for split in splits {
        sums.clear();
        sums.resize(split.classes, (0.0, 0.0));
        for (value, class) in centred.iter().zip(&split.class) {
            sums[*class].0 += value;
            sums[*class].1 += 1.0;
        }
        let between = between(&sums);
        match most.iter_mut().find(|one| one.0.classes == split.classes) {
            Some(one) if one.1 < between => *one = (split, between),
            Some(_) => {}
            None => most.push((split, between)),
        }
    }
    let tells = |(split, between): (&'s Split, f64)| {
        let above = (split.classes - 1) as f64;
        let below = (values.len() - split.classes) as f64;
        if between <= 0.0 {
            return (split, 0.0);
        }
        let within = (all - between).max(0.0);
        let tail = f_above(between / above / (within / below), above, below);
        (split, -tail.max(LEAST).ln())
    };
    most.into_iter()
        .map(tells)
        .max_by(|a, b| a.1.total_cmp(&b.1))
}

/// The values less the mean of their class.
fn without(values: &[f64], split: &Split) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); split.classes];
    for (value, class) in values.iter().zip(&split.class) {
        sums[*class].0 += value;
        sums[*class].1 += 1.0;
    }
    values
        .iter()
        .zip(&split.class)
        .map(|(value, class)| value - sums[*class].0 / sums[*class].1)
        .collect()
}

/// ω² of the classes of a split.
pub(super) fn share(values: &[f64], noise: f64, split: &Split) -> f64 {
    let (between, within) = squares(values, split);
    let count = values.len() as f64;
    let by_number = (split.classes - 1) as f64 * within / (count - split.classes as f64);
    let signal = between + within - (count - 1.0) * noise;
    if signal <= 0.0 {
        return 0.0;
    }
    ((between - by_number) / signal).clamp(0.0, 1.0)
}

/// The share with percentiles of layouts that are drawn again.
fn bounded(
    values: &[f64],
    noise: f64,
    split: &Split,
    confidence: f64,
    draw: &mut ChaCha8Rng,
) -> Bounded {
    use rand::RngExt as _;
    let mut shares = Vec::with_capacity(RESAMPLED);
    for _ in 0..RESAMPLED {
        let taken: Vec<usize> = (0..values.len())
            .map(|_| draw.random_range(0..values.len()))
            .collect();
        let again = Split {
            class: taken.iter().map(|layout| split.class[*layout]).collect(),
            ..split.clone()
        };
        let drawn: Vec<f64> = taken.iter().map(|layout| values[*layout]).collect();
        shares.push(share(&drawn, noise, &again));
    }
    shares.sort_by(f64::total_cmp);
    let at = |share: f64| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an index below the number of samples"
        )]
        let index = (share * (RESAMPLED - 1) as f64).round() as usize;
        shares[index.min(RESAMPLED - 1)]
    };
    let estimate = share(values, noise, split);
    let tail = (1.0 - confidence) / 2.0;
    Bounded {
        estimate,
        low: at(tail).min(estimate),
        high: at(1.0 - tail).max(estimate),
    }
}
