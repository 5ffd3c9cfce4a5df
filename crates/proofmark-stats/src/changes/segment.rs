//! The best levels of a series under a loss that forgives outliers, exactly, by functional pruning.

/// Loss of a value that lies `CAP` deviations or more from its level: an outlier costs so much,
/// however far it lies.
pub(super) const CAP: f64 = 3.0;

const CAP_SQUARED: f64 = CAP * CAP;

/// What the best segmentation costs when the last segment's level lies in a range: a parabola,
/// `count`·(θ − mean)² + `least`. Kept by its vertex, which loses no digits however far from 0 the
/// level lies. Ranges follow one another; each begins where the one before it ends.
#[derive(Clone, Copy)]
struct Piece {
    end: f64,
    /// How many values of the last segment are no outliers for these levels, and their mean.
    count: f64,
    mean: f64,
    least: f64,
    /// Where the last segment begins.
    since: usize,
}

impl Piece {
    fn at(&self, level: f64) -> f64 {
        let from = level - self.mean;
        self.count * from * from + self.least
    }

    /// The least value from `start` to the piece's end.
    fn least_from(&self, start: f64) -> f64 {
        if self.count == 0.0 {
            self.least
        } else {
            self.at(self.mean.clamp(start, self.end))
        }
    }

    /// With one more value, near these levels.
    fn near(&self, value: f64) -> Piece {
        let count = self.count + 1.0;
        let from = value - self.mean;
        // Welford 1962.
        let mean = self.mean + from / count;
        Piece {
            count,
            mean,
            least: self.least + from * (value - mean),
            ..*self
        }
    }

    fn far(&self) -> Piece {
        Piece {
            least: self.least + CAP_SQUARED,
            ..*self
        }
    }
}

/// The first positions of the segments after the first one: the segmentation with the least sum of
/// losses, min((y − level)², 9), and `penalty` for each change, which is finite and positive.
/// `series` is finite, on a scale on which noise has a standard deviation of 1.
///
/// Fearnhead & Rigaill 2019, *Changepoint detection in the presence of outliers*, JASA 114, section
/// 4: the cost as a function of the last level is kept as pieces of parabolas, and a piece goes
/// where starting anew is cheaper whatever comes.
pub(super) fn segment(series: &[f64], penalty: f64) -> Vec<usize> {
    let lowest = series.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = series.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut pieces = vec![Piece {
        end: highest,
        count: 0.0,
        mean: 0.0,
        least: 0.0,
        since: 0,
    }];
    let mut next = Next::new(lowest);
    // Where the last segment of the best segmentation of each beginning starts.
    let mut since: Vec<usize> = Vec::with_capacity(series.len());
    let mut cost = f64::INFINITY;
    for (at, value) in series.iter().enumerate() {
        next.begin(*value);
        anew(&pieces, &mut next, lowest, cost + penalty, at);
        cost = next.cost;
        since.push(next.since);
        std::mem::swap(&mut pieces, &mut next.pieces);
    }
    let mut changes = Vec::new();
    let mut last = series.len().checked_sub(1);
    while let Some(begins) = last.and_then(|at| since.get(at)).copied() {
        if begins == 0 {
            break;
        }
        changes.push(begins);
        last = begins.checked_sub(1);
    }
    changes.reverse();
    changes
}

/// Gives the lesser of each piece and `cost`, which a segment that begins `at` has whatever its
/// level.
fn anew(pieces: &[Piece], next: &mut Next, lowest: f64, cost: f64, at: usize) {
    let fresh = |end: f64| Piece {
        end,
        count: 0.0,
        mean: 0.0,
        least: cost,
        since: at,
    };
    let mut start = lowest;
    // Up to where starting anew is cheaper, from the end of what was given.
    let mut cheaper = None;
    for piece in pieces {
        let mut kept = |piece: Piece, cheaper: &mut Option<f64>| {
            if let Some(end) = cheaper.take() {
                next.add(fresh(end));
            }
            next.add(piece);
        };
        if piece.least >= cost {
            cheaper = Some(piece.end);
        } else if piece.at(start) < cost && piece.at(piece.end) < cost {
            kept(*piece, &mut cheaper);
        } else {
            // It is left where the parabola crosses the cost.
            let reach = ((cost - piece.least) / piece.count).sqrt();
            let (left, right) = (piece.mean - reach, piece.mean + reach);
            if left > start {
                cheaper = Some(left.min(piece.end));
            }
            if right > start && left < piece.end {
                let end = right.min(piece.end);
                kept(Piece { end, ..*piece }, &mut cheaper);
            }
            if right < piece.end {
                cheaper = Some(piece.end);
            }
        }
        start = piece.end;
    }
    if let Some(end) = cheaper {
        next.add(fresh(end));
    }
}

/// The pieces after one more value, in order, and the best of them.
struct Next {
    pieces: Vec<Piece>,
    lowest: f64,
    value: f64,
    /// Where the last piece ends.
    start: f64,
    cost: f64,
    since: usize,
}

impl Next {
    fn new(lowest: f64) -> Next {
        Next {
            pieces: Vec::new(),
            lowest,
            value: 0.0,
            start: lowest,
            cost: f64::INFINITY,
            since: 0,
        }
    }

    fn begin(&mut self, value: f64) {
        self.pieces.clear();
        self.value = value;
        self.start = self.lowest;
        self.cost = f64::INFINITY;
    }

    /// Adds the value's loss to a piece, which is parted where that reaches its cap.
    fn add(&mut self, piece: Piece) {
        let (near, far) = (self.value - CAP, self.value + CAP);
        let end = piece.end;
        if near > self.start {
            self.give(Piece {
                end: near.min(end),
                ..piece.far()
            });
        }
        if far > self.start && near < end {
            self.give(Piece {
                end: far.min(end),
                ..piece.near(self.value)
            });
        }
        if far < end {
            self.give(piece.far());
        }
    }

    fn give(&mut self, piece: Piece) {
        let cost = piece.least_from(self.start);
        if cost < self.cost {
            (self.cost, self.since) = (cost, piece.since);
        }
        self.start = piece.end;
        self.pieces.push(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    /// The least loss of one level, by trying every set of values that could be near it.
    fn one_level(values: &[f64]) -> f64 {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let mut least = CAP_SQUARED * values.len() as f64;
        for first in 0..sorted.len() {
            for last in first..sorted.len() {
                let near = &sorted[first..=last];
                let mean = near.iter().sum::<f64>() / near.len() as f64;
                let loss = |value: &f64| (value - mean).powi(2).min(CAP_SQUARED);
                least = least.min(values.iter().map(loss).sum());
            }
        }
        least
    }

    fn cost(series: &[f64], changes: &[usize], penalty: f64) -> f64 {
        let ends = changes.iter().copied().chain([series.len()]);
        let starts = [0].into_iter().chain(changes.iter().copied());
        let segments = starts
            .zip(ends)
            .map(|(from, to)| one_level(&series[from..to]));
        segments.sum::<f64>() + penalty * changes.len() as f64
    }

    #[test]
    fn no_segmentation_of_short_series_is_better() {
        let mut draw = SmallRng::seed_from_u64(7);
        for _ in 0..60 {
            let series: Vec<f64> = (0..9)
                .map(|_| f64::from(draw.random_range(0..4)) * 2.5 + draw.random_range(-1.0..1.0))
                .collect();
            let penalty = draw.random_range(2.0..12.0);
            let found = segment(&series, penalty);
            let all = (0_u32..1 << 8).map(|mask| {
                let changes: Vec<usize> = (1..9).filter(|at| mask >> (at - 1) & 1 == 1).collect();
                cost(&series, &changes, penalty)
            });
            let least = all.fold(f64::INFINITY, f64::min);
            let reached = cost(&series, &found, penalty);
            assert!(
                (reached - least).abs() < 1e-9,
                "{series:?} {found:?} {reached} {least}"
            );
        }
    }

    #[test]
    fn an_outlier_is_no_level_and_two_that_last_are() {
        let mut series = vec![0.0; 40];
        series[20] = 100.0;
        assert!(segment(&series, 10.0).is_empty());
        for value in &mut series[30..] {
            *value = 4.0;
        }
        assert_eq!(segment(&series, 10.0), [30]);
    }

    #[test]
    fn noise_beside_levels_far_apart_is_no_change() {
        let mut draw = SmallRng::seed_from_u64(3);
        let level = |at: usize| [0.0, 1e8, -1e8][at / 200];
        let series = (0..600).map(|at| level(at) + draw.random_range(-1.7..1.7));
        let series: Vec<f64> = series.collect();
        assert_eq!(segment(&series, 20.0), [200, 400]);
    }
}
