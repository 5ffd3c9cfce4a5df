//! What of a function's place goes with the metric, by layouts of which two differ in that place
//! alone.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::recorded::{Split, best, share};

/// Permutations drawn: the least p value is one in so many and one more.
const DRAWS: u32 = 999;
/// Fewest layouts for each class, in the mean.
const EACH: usize = 5;

/// Something of a place that may go with the metric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    /// Of each pair of layouts, the class of both places.
    pub classes: Vec<[u64; 2]>,
}

/// The feature that explains most of what a place does.
#[derive(Clone, Debug, PartialEq)]
pub struct ByFeature {
    /// Its index.
    pub feature: usize,
    /// How often the best of all features would seem to explain as much if none did, 0 to 1.
    pub p_value: f64,
    /// The share of what the place does that it explains, 0 to 1.
    pub share: f64,
    /// Features that were tried: those with several classes, and layouts enough for them.
    pub tried: usize,
    /// By class, in ascending order: its layouts, and the logarithm of the metric less the mean of
    /// all classes.
    pub classes: Vec<(u64, u32, f64)>,
}

/// The feature that explains most of what the place of a function does, and how often chance does
/// as much. `apart` has what the metric's logarithm differs by between the layouts of a pair, which
/// differ in that place alone. None where there is no feature to be tried.
///
/// Half of a difference is given to each place, with opposite signs. The statistic is the tail of F
/// between the classes of a feature, the least of all features. Where none goes with the metric,
/// which pair has which difference, and with which sign, is a matter of chance: so differences are
/// exchanged between pairs and turned at random, 999 times.
#[must_use]
pub fn explained_by_features(apart: &[f64], features: &[Feature], seed: u64) -> Option<ByFeature> {
    let (splits, kinds): (Vec<Split>, Vec<Vec<u64>>) = features
        .iter()
        .enumerate()
        .filter_map(|(index, feature)| split(index, feature, apart.len()))
        .unzip();
    let values = halves(apart);
    let (found, most) = best(&values, &splits)?;
    let mut draw = ChaCha8Rng::seed_from_u64(seed);
    let mut drawn = apart.to_vec();
    let mut as_large = 0_u32;
    for _ in 0..DRAWS {
        drawn.shuffle(&mut draw);
        for one in &mut drawn {
            if draw.random::<bool>() {
                *one = -*one;
            }
        }
        let told = best(&halves(&drawn), &splits).map_or(0.0, |(_, most)| most);
        as_large += u32::from(told >= most - most.abs() * 1e-12);
    }
    let place = splits
        .iter()
        .position(|one| one.function == found.function)?;
    let mut classes: Vec<(u64, u32, f64)> =
        kinds[place].iter().map(|kind| (*kind, 0, 0.0)).collect();
    for (value, class) in values.iter().zip(&found.class) {
        classes[*class].1 += 1;
        classes[*class].2 += value;
    }
    for class in &mut classes {
        // A place has half of a difference whatever the other one is: on the mean, it differs from
        // all others by twice as much.
        class.2 *= 2.0 / f64::from(class.1.max(1));
    }
    let mean = classes.iter().map(|class| class.2).sum::<f64>() / classes.len() as f64;
    classes.iter_mut().for_each(|class| class.2 -= mean);
    Some(ByFeature {
        feature: found.function,
        p_value: f64::from(as_large + 1) / f64::from(DRAWS + 1),
        // The other place takes part in each half as noise, as large as this one's.
        share: (2.0 * share(&values, 0.0, found)).min(1.0),
        tried: splits.len(),
        classes,
    })
}

/// The places of all pairs in classes; none of one class, or too few places for all.
fn split(index: usize, feature: &Feature, pairs: usize) -> Option<(Split, Vec<u64>)> {
    let all = feature.classes.iter().flatten();
    let mut kinds: Vec<u64> = all.clone().copied().collect();
    kinds.sort_unstable();
    kinds.dedup();
    let enough = kinds.len() > 1 && 2 * pairs >= EACH * kinds.len();
    if feature.classes.len() != pairs || !enough {
        return None;
    }
    let class = |kind: &u64| kinds.binary_search(kind).unwrap_or_default();
    let split = Split {
        function: index,
        modulus: 0,
        class: all.map(class).collect(),
        classes: kinds.len(),
    };
    Some((split, kinds))
}

/// Half of each difference for the one place, and its opposite for the other.
fn halves(apart: &[f64]) -> Vec<f64> {
    apart
        .iter()
        .flat_map(|one| [one / 2.0, -one / 2.0])
        .collect()
}
