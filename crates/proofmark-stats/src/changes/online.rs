//! A series watched while it grows: has its level changed?

/// What a watch sees when the noise has a standard deviation of 1 and is normal: once in so many
/// values, in the mean, the clearest change goes beyond [`PENALTY`] although there is none.
pub const RUN_LENGTH: f64 = 1100.0;

/// The statistic beyond which a watch gives an alarm. By simulation (`bench/history/watch.rs`,
/// 4,000 series): the mean run length to a false alarm is [`RUN_LENGTH`].
pub const PENALTY: f64 = 14.0;

/// A watch over values whose noise has a standard deviation of 1. Neither the level before nor the
/// one after a change has to be known.
///
/// FOCuS (Romano, Eckley, Fearnhead and Rigaill 2023, *Fast online changepoint detection via
/// functional pruning CUSUM statistics*, JMLR 24): the statistic of a change after k of n values is
/// twice the log likelihood ratio, k (n − k) ÷ n times the square of the difference of both means.
/// Its greatest value over all k is found at a vertex of the convex hull of the points (k, sum of
/// the first k values), whatever comes later: on a chord between two vertices the root of the
/// statistic has no maximum but at its ends. A value takes O(1) in the mean to be added, and the
/// hull of noise has O(log n) vertices (Andersen 1955).
#[derive(Clone, Debug)]
pub struct Watch {
    count: usize,
    sum: f64,
    /// Vertices below the points, for a level that rises.
    lower: Vec<Vertex>,
    /// Vertices above them, for one that falls.
    upper: Vec<Vertex>,
}

/// After so many values, their sum.
#[derive(Clone, Copy, Debug)]
struct Vertex {
    count: usize,
    sum: f64,
}

/// The clearest change that a watch sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clearest {
    /// Values before it.
    pub at: usize,
    /// Twice the log likelihood ratio; 0 or more.
    pub statistic: f64,
    /// The mean after it less that before it, in standard deviations of the noise.
    pub size: f64,
}

impl Default for Watch {
    fn default() -> Self {
        Watch::new()
    }
}

impl Watch {
    /// A watch that has seen nothing.
    #[must_use]
    pub fn new() -> Watch {
        Watch {
            count: 0,
            sum: 0.0,
            lower: Vec::new(),
            upper: Vec::new(),
        }
    }

    /// Takes the next value, which is finite.
    pub fn push(&mut self, value: f64) {
        // A change lies behind what was there before this value, if anything was.
        if self.count > 0 {
            let vertex = Vertex {
                count: self.count,
                sum: self.sum,
            };
            put(&mut self.lower, vertex, 1.0);
            put(&mut self.upper, vertex, -1.0);
        }
        self.count += 1;
        self.sum += value;
    }

    /// Forgets where the level may have changed until now, and keeps the level: an alarm was given,
    /// and it was none.
    pub fn forgive(&mut self) {
        self.lower.clear();
        self.upper.clear();
    }

    /// Values seen.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The clearest change; `None` before the second value, and right after the watch was forgiven.
    #[must_use]
    pub fn clearest(&self) -> Option<Clearest> {
        let all = self.lower.iter().chain(&self.upper);
        let seen = all.map(|vertex| self.at(*vertex));
        seen.max_by(|one, other| one.statistic.total_cmp(&other.statistic))
    }

    /// Vertices that are kept.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.lower.len() + self.upper.len()
    }

    fn at(&self, vertex: Vertex) -> Clearest {
        let (before, after) = (vertex.count as f64, (self.count - vertex.count) as f64);
        let size = (self.sum - vertex.sum) / after - vertex.sum / before;
        Clearest {
            at: vertex.count,
            statistic: size * size * before * after / (before + after),
            size,
        }
    }
}

/// Puts a vertex behind those of one side of the hull; those that it makes inner points go. `side`
/// is 1 below the points and −1 above them.
fn put(hull: &mut Vec<Vertex>, vertex: Vertex, side: f64) {
    let slope =
        |from: Vertex, to: Vertex| side * (to.sum - from.sum) / (to.count - from.count) as f64;
    while let [.., before, last] = hull.as_slice() {
        if slope(*before, *last) < slope(*last, vertex) {
            break;
        }
        hull.pop();
    }
    hull.push(vertex);
}

/// How often that many alarms of one direction among those of both would come by chance if both
/// were as likely: the two-sided binomial probability; 1 where there is none.
#[must_use]
pub fn one_sided(one: u32, other: u32) -> f64 {
    let count = one + other;
    let few = one.min(other);
    // Terms of the lower tail: C(n, k) ÷ 2ⁿ, each from the one before.
    let mut term = 0.5_f64.powi(i32::try_from(count).unwrap_or(i32::MAX));
    let mut tail = term;
    for k in 0..few {
        term *= f64::from(count - k) / f64::from(k + 1);
        tail += term;
    }
    (2.0 * tail).min(1.0)
}

#[cfg(test)]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    /// The greatest statistic by trying every place.
    fn tried(values: &[f64]) -> f64 {
        let mean = |some: &[f64]| some.iter().sum::<f64>() / some.len() as f64;
        let statistic = |at: usize| {
            let (before, after) = values.split_at(at);
            let lengths = (before.len() * after.len()) as f64 / values.len() as f64;
            lengths * (mean(after) - mean(before)).powi(2)
        };
        (1..values.len()).map(statistic).fold(0.0, f64::max)
    }

    #[test]
    fn no_place_is_clearer_than_the_one_that_is_found() {
        let mut draw = SmallRng::seed_from_u64(3);
        for _ in 0..40 {
            let step: f64 = draw.random_range(-2.0..2.0);
            let mut watch = Watch::new();
            let mut values = Vec::new();
            for at in 0..120 {
                let level = if at > 70 { step } else { 0.0 };
                // Few different values, so that sums are often equal.
                let value = level + f64::from(draw.random_range(-2..3));
                watch.push(value);
                values.push(value);
                let found = watch.clearest().map_or(0.0, |seen| seen.statistic);
                assert!((found - tried(&values)).abs() < 1e-9, "{values:?}");
            }
        }
    }

    #[test]
    fn few_vertices_are_kept_of_many_values() {
        let mut draw = SmallRng::seed_from_u64(5);
        let mut watch = Watch::new();
        let mut most = 0;
        for _ in 0..100_000 {
            watch.push(draw.random_range(-1.0..1.0));
            most = most.max(watch.kept());
        }
        // Of n points each side of the hull has ln n vertices in the mean: 23 in all.
        assert!(most < 80, "{most}");
    }

    #[test]
    fn a_forgiven_watch_keeps_its_level_and_sees_what_comes() {
        let mut watch = Watch::new();
        for at in 0..50 {
            watch.push(if at < 48 { 0.0 } else { 4.0 });
        }
        let seen = watch.clearest().unwrap();
        assert_eq!(seen.at, 48);
        assert!(seen.statistic > 30.0 && (seen.size - 4.0).abs() < 1e-9);
        watch.forgive();
        assert_eq!(watch.clearest(), None);
        watch.push(0.0);
        assert!(watch.clearest().unwrap().statistic < 1.0);
        watch.push(9.0);
        assert_eq!(watch.clearest().unwrap().at, 51);
    }

    #[test]
    fn one_side_is_beyond_chance_as_a_coin_tells() {
        // Two-sided binomial tests of 6 and 0, 10 and 1, 5 and 5, by scipy.stats.binomtest.
        for (one, other, p) in [
            (6, 0, 0.03125),
            (10, 1, 0.011_718_75),
            (5, 5, 1.0),
            (0, 0, 1.0),
        ] {
            assert!((one_sided(one, other) - p).abs() < 1e-12, "{one} {other}");
            assert_eq!(one_sided(one, other), one_sided(other, one));
        }
        assert!(one_sided(2000, 0) < 1e-300);
    }
}
