//! Which groups' places do more than chance does, with one error rate for all of them.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::Mixed;
use super::bursts::NORMAL;
use crate::median;

/// Permutations drawn: the least p value is one in so many and one more.
const DRAWS: u32 = 1999;
/// So many standard deviations from the middle of its measurement a value may be.
const FAR: f64 = 3.0;

/// Whether a group's places do anything.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sign {
    /// The group's index.
    pub group: usize,
    /// How often the largest of all groups would seem to do as much if none of them mattered, 0 to
    /// 1; for those behind the first, of all that are left.
    pub p_value: f64,
}

/// The groups in the order of what their places seem to do, each with how often chance does as
/// much.
///
/// B and each U differ in the places of one group alone. Where no group matters, they are one and
/// the same to the program. What their copies then differ by is what each happened to get: its
/// physical pages, and its turns among the runs. Both were **drawn**, anew in each measurement, so
/// that which value belongs to which image is a draw as well, whatever the noise is like and
/// however long it lasts. That draw is drawn again: the values of B and all U are exchanged at
/// random within each measurement of each block, 1999 times (a randomisation test: Fisher 1935;
/// Edgington 1980).
///
/// The statistic of a group is the sum over blocks of the product of its two measurements, each
/// less the mean of B and all U: the draws of one measurement have mean zero in it, and what the
/// place does has not. Values are drawn in by what their own measurement says alone, so that
/// nothing goes from one measurement to the other. The largest group is compared with the largest
/// of the exchanged ones (Westfall and Young 1993), so that where no group matters, one of them is
/// called at the stated rate at most. Then that group is taken out and the rest is looked at in the
/// same way; p values never fall on the way.
#[must_use]
pub fn signs(blocks: &[Mixed], groups: usize, seed: u64) -> Vec<Sign> {
    let blocks: Vec<&Mixed> = blocks.iter().filter(|block| block.is_of(groups)).collect();
    let scores = scores(&blocks);
    let mut left: Vec<usize> = (0..groups).collect();
    let mut found: Vec<Sign> = Vec::with_capacity(groups);
    let mut draw = ChaCha8Rng::seed_from_u64(seed);
    while !left.is_empty() && !scores.is_empty() {
        let mut values: Vec<[Vec<f64>; 2]> =
            scores.iter().map(|block| centred(block, &left)).collect();
        let Some((place, most)) = largest(&sums(&values)) else {
            break;
        };
        let mut as_large = 0_u32;
        for _ in 0..DRAWS {
            for measurement in values.iter_mut().flatten() {
                measurement.shuffle(&mut draw);
            }
            let drawn = largest(&sums(&values)).map_or(0.0, |(_, most)| most);
            // What differs in the last digits only is a tie.
            as_large += u32::from(drawn >= most - most.abs() * 1e-12);
        }
        let p_value = f64::from(as_large + 1) / f64::from(DRAWS + 1);
        let least = found.last().map_or(0.0, |sign| sign.p_value);
        found.push(Sign {
            group: left.remove(place),
            p_value: p_value.max(least),
        });
    }
    found
}

/// By block and measurement, B and each U around the middle of that measurement. Values that are
/// further away than three times what is usual (by the median over all blocks) come to there: one
/// burst of 20 % would otherwise outweigh all that layouts differ by. What is usual does not depend
/// on which value belongs to which image.
fn scores(blocks: &[&Mixed]) -> Vec<[Vec<f64>; 2]> {
    let around = |block: &&Mixed| {
        [0, 1].map(|measurement| {
            let kept = block.kept.iter().map(|kept| kept[measurement]);
            let values: Vec<f64> = std::iter::once(block.other[measurement])
                .chain(kept)
                .collect();
            let middle = median(&values).unwrap_or(0.0);
            values.iter().map(|value| value - middle).collect()
        })
    };
    let mut all: Vec<[Vec<f64>; 2]> = blocks.iter().map(around).collect();
    let away: Vec<f64> = all.iter().flatten().flatten().map(|by| by.abs()).collect();
    let most = FAR * NORMAL * median(&away).unwrap_or(0.0);
    // Where most values are one and the same, there are no bursts.
    if most > 0.0 {
        for value in all.iter_mut().flatten().flatten() {
            *value = value.clamp(-most, most);
        }
    }
    all
}

/// By measurement, B and those U of a block that are left, less their mean.
fn centred(scores: &[Vec<f64>; 2], left: &[usize]) -> [Vec<f64>; 2] {
    scores.each_ref().map(|scores| {
        let kept = left.iter().map(|group| scores[*group + 1]);
        let values: Vec<f64> = scores.first().copied().into_iter().chain(kept).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.into_iter().map(|value| value - mean).collect()
    })
}

/// By place, the sum over blocks of the products of both measurements.
fn sums(blocks: &[[Vec<f64>; 2]]) -> Vec<f64> {
    let mut sums = vec![0.0; blocks.first().map_or(0, |block| block[0].len())];
    for [first, second] in blocks {
        for (sum, (first, second)) in sums.iter_mut().zip(first.iter().zip(second)) {
            *sum += first * second;
        }
    }
    sums
}

/// The largest of all but the first, which is B, and its index without that one.
fn largest(sums: &[f64]) -> Option<(usize, f64)> {
    let groups = sums.iter().copied().skip(1).enumerate();
    groups.max_by(|a, b| a.1.total_cmp(&b.1))
}
