//! A level, and where it begins.

use std::ops::Range;

use super::segment::CAP;

/// Twice the logarithm of the likelihood ratio that the true place of a change of a normal mean
/// exceeds in 5 % of cases: (1 − e^(−q/2))² = 0.95, for the greater of two independent exponential
/// variables, one for each side (Siegmund 1988, *Confidence sets in change-point problems*, section
/// 2). Large for a series, whose places are whole numbers.
const OUT_OF_PLACE: f64 = 7.352_3;

/// What a value costs that belongs to a level.
pub(super) fn loss(value: f64, level: f64) -> f64 {
    (value - level).powi(2).min(CAP * CAP)
}

/// The level of values whose noise has a standard deviation of 1, and how many of them are no
/// outliers: from the median on, the mean of what is near it, until it stays.
pub(super) fn level(values: &[f64]) -> (f64, usize) {
    let mut level = crate::median(values).unwrap_or(0.0);
    let mut count = 0;
    for _ in 0..50 {
        let near = values.iter().filter(|value| (**value - level).abs() < CAP);
        let (sum, found) = near.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
        if found == 0 {
            return (level, 0);
        }
        let mean = sum / found as f64;
        (level, count) = if mean == level {
            return (level, found);
        } else {
            (mean, found)
        };
    }
    (level, count)
}

/// Where the second of two neighbouring levels may begin: places at which the loss is little more
/// than at the best one.
pub(super) fn within(values: &[f64], old: &Range<usize>, new: &Range<usize>) -> Range<usize> {
    let (before, _) = level(&values[old.clone()]);
    let (after, _) = level(&values[new.clone()]);
    // The loss with the new level beginning at each place, less that with it beginning first.
    let mut losses = vec![0.0];
    let mut sum = 0.0;
    for value in &values[old.start + 1..new.end - 1] {
        sum += loss(*value, before) - loss(*value, after);
        losses.push(sum);
    }
    let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
    let good = |loss: &f64| *loss <= least + OUT_OF_PLACE;
    let first = losses.iter().position(good).unwrap_or(0);
    let last = losses.iter().rposition(good).unwrap_or(0);
    old.start + 1 + first..old.start + 2 + last
}
