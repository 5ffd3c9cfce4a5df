//! The best levels of a series under a loss that forgives outliers, exactly, by functional pruning.

/// Loss of a value that lies `CAP` deviations or more from its level: an outlier costs so much,
/// however far it lies.
pub(super) const CAP: f64 = 3.0;

const CAP_SQUARED: f64 = CAP * CAP;

/// What the best segmentation costs when the last segment's level lies in a range: a·θ² + b·θ + c.
/// Ranges follow one another; each begins where the one before it ends.
#[derive(Clone, Copy)]
struct Piece {
    end: f64,
    a: f64,
    b: f64,
    c: f64,
    /// Where the last segment begins.
    since: usize,
}

impl Piece {
    fn at(&self, level: f64) -> f64 {
        (self.a * level + self.b) * level + self.c
    }

    /// The least value from `start` to the piece's end.
    fn least(&self, start: f64) -> f64 {
        let level = if self.a > 0.0 {
            (-self.b / (2.0 * self.a)).clamp(start, self.end)
        } else {
            start
        };
        self.at(level)
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
        a: 0.0,
        b: 0.0,
        c: 0.0,
        since: 0,
    }];
    let mut next: Vec<Piece> = Vec::new();
    // Where the last segment of the best segmentation of each beginning starts.
    let mut since: Vec<usize> = Vec::with_capacity(series.len());
    let mut least = f64::INFINITY;
    for (at, value) in series.iter().enumerate() {
        if at > 0 {
            anew(&pieces, &mut next, lowest, least + penalty, at);
            std::mem::swap(&mut pieces, &mut next);
        }
        add(&pieces, &mut next, lowest, *value);
        std::mem::swap(&mut pieces, &mut next);
        let (cost, begins) = best(&pieces, lowest);
        least = cost;
        since.push(begins);
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

fn best(pieces: &[Piece], lowest: f64) -> (f64, usize) {
    let (mut cost, mut since, mut start) = (f64::INFINITY, 0, lowest);
    for piece in pieces {
        let least = piece.least(start);
        if least < cost {
            (cost, since) = (least, piece.since);
        }
        start = piece.end;
    }
    (cost, since)
}

/// The lesser of each piece and `cost`, which a segment that begins `at` has whatever its level.
fn anew(pieces: &[Piece], out: &mut Vec<Piece>, lowest: f64, cost: f64, at: usize) {
    out.clear();
    let fresh = |end: f64| Piece {
        end,
        a: 0.0,
        b: 0.0,
        c: cost,
        since: at,
    };
    let mut give = |piece: Piece| match out.last_mut() {
        Some(last) if last.since == at && piece.since == at => last.end = piece.end,
        _ => out.push(piece),
    };
    let mut start = lowest;
    for piece in pieces {
        if piece.least(start) >= cost {
            give(fresh(piece.end));
        } else if piece.a <= 0.0 {
            give(*piece);
        } else {
            // A parabola that dips below the cost: it is left where it crosses it.
            let vertex = -piece.b / (2.0 * piece.a);
            let reach = ((cost - piece.at(vertex)).max(0.0) / piece.a).sqrt();
            let (left, right) = (vertex - reach, vertex + reach);
            if left > start {
                give(fresh(left.min(piece.end)));
            }
            if right > start && left < piece.end {
                let end = right.min(piece.end);
                give(Piece { end, ..*piece });
            }
            if right < piece.end {
                give(fresh(piece.end));
            }
        }
        start = piece.end;
    }
}

/// Adds a value's loss.
fn add(pieces: &[Piece], out: &mut Vec<Piece>, lowest: f64, value: f64) {
    out.clear();
    let (near, far) = (value - CAP, value + CAP);
    let mut start = lowest;
    for piece in pieces {
        let mut give = |end: f64, within: bool| {
            let mut piece = Piece { end, ..*piece };
            if within {
                piece.a += 1.0;
                piece.b -= 2.0 * value;
                piece.c += value * value;
            } else {
                piece.c += CAP_SQUARED;
            }
            out.push(piece);
        };
        let end = piece.end;
        if near > start {
            give(near.min(end), false);
        }
        if far > start && near < end {
            give(far.min(end), true);
        }
        if far < end {
            give(end, false);
        }
        start = end;
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
}
