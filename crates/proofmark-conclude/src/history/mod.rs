//! A history of one metric: its levels, and where one ends and the next begins.

use std::ops::Range;

use proofmark_stats::changes::{Change, Levels, levels};
use proofmark_terms::{Effect, Interval};

/// One metric over time, as somebody recorded it.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The metric's name.
    pub name: String,
    /// What its values count, where that is known.
    pub unit: Option<String>,
    /// In the order of time.
    pub points: Vec<Point>,
    /// What the order of points of one time is worth.
    pub ties: Ties,
}

/// What the order of points of one time is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ties {
    /// It is that in which they were made.
    #[default]
    InOrder,
    /// Nobody knows it: any of them may be the first.
    Unknown,
}

/// A value of a history.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The commit, or whatever names the state that was measured.
    pub commit: Option<String>,
    /// Milliseconds since 1970-01-01 UTC.
    pub time_ms: Option<i64>,
    /// Finite, in the metric's unit.
    pub value: f64,
}

/// What a history says.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryFound {
    /// In the order of time; one at least.
    pub levels: Vec<LevelFound>,
    /// Between each level and the next.
    pub changes: Vec<ChangeFound>,
    /// The standard deviation of the noise about the levels: relative where all values are
    /// positive, else in the metric's unit.
    pub noise: f64,
    /// How often a history without any change would show one as clear; none without changes.
    pub p_value: Option<f64>,
    /// Whether sizes are ratios: all values are positive.
    pub relative: bool,
}

/// Values that are alike.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelFound {
    /// Positions in the history.
    pub at: Range<usize>,
    /// Their mean without outliers, in the metric's unit; the geometric one where sizes are ratios.
    pub mean: f64,
    /// How many of them are outliers.
    pub outliers: usize,
}

/// A change of the level.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeFound {
    /// The position of the first value of the new level.
    pub at: usize,
    /// Positions at which the new level may begin as well (95 % for one change). Where the order of
    /// points of one time is not known, all of those that it touches.
    pub within: Range<usize>,
    /// The new level against the old one.
    pub size: ChangeSize,
}

/// How far a level lies from the one before it, with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ChangeSize {
    /// New ÷ old.
    Ratio(Interval),
    /// New − old: estimate, lower and upper bound, in the metric's unit.
    Difference(f64, f64, f64),
}

/// The levels of a history, and its changes; none where it has no values.
#[must_use]
pub fn conclude_history(series: &Series) -> Option<HistoryFound> {
    let values: Vec<f64> = series.points.iter().map(|point| point.value).collect();
    let relative = values.iter().all(|value| *value > 0.0);
    let scaled: Vec<f64> = if relative {
        values.iter().map(|value| value.ln()).collect()
    } else {
        values
    };
    // The same history gives the same answer.
    let Levels {
        levels,
        changes,
        noise,
        p_value,
    } = levels(&scaled, 0)?;
    let levels = levels.into_iter().map(|level| LevelFound {
        at: level.at,
        mean: if relative {
            level.mean.exp()
        } else {
            level.mean
        },
        outliers: level.outliers,
    });
    let found = |change: Change| ChangeFound {
        at: change.at,
        within: series.within_ties(&change),
        size: size(&change, relative),
    };
    Some(HistoryFound {
        levels: levels.collect(),
        changes: changes.into_iter().map(found).collect(),
        noise,
        p_value,
        relative,
    })
}

impl Series {
    /// Where a change may begin as well. A level that begins among points of one time, or behind
    /// them, may begin at any of them where their order is not known.
    fn within_ties(&self, change: &Change) -> Range<usize> {
        let within = &change.within;
        if self.ties == Ties::InOrder || self.points.is_empty() {
            return within.clone();
        }
        let time = |at: usize| self.points.get(at).and_then(|point| point.time_ms);
        let tied = |one: usize, other: usize| time(one).is_some() && time(one) == time(other);
        let mut first = within.start.min(change.at);
        // The last point of the level before may belong to the one after.
        if first >= 2 && tied(first - 2, first - 1) {
            first -= 1;
        }
        while first >= 1 && tied(first - 1, first) {
            first -= 1;
        }
        let mut end = within.end.max(change.at + 1);
        while end < self.points.len() && tied(end - 1, end) {
            end += 1;
        }
        first..end
    }
}

fn size(change: &Change, relative: bool) -> ChangeSize {
    let (low, high) = (
        change.size - change.half_width,
        change.size + change.half_width,
    );
    if relative {
        ChangeSize::Ratio(Interval {
            estimate: Effect::from_ln(change.size),
            low: Effect::from_ln(low),
            high: Effect::from_ln(high),
        })
    } else {
        ChangeSize::Difference(change.size, low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(values: impl IntoIterator<Item = f64>) -> Series {
        let point = |value| Point {
            commit: None,
            time_ms: None,
            value,
        };
        Series {
            name: "t".to_owned(),
            unit: None,
            points: values.into_iter().map(point).collect(),
            ties: Ties::InOrder,
        }
    }

    #[test]
    fn a_change_among_commits_of_one_time_may_begin_at_any_of_them() {
        let wobble = |at: usize| [0.0, 0.01, -0.01, 0.005][at % 4];
        let mut series = series((0..40).map(|at| if at < 18 { 1.0 } else { 2.0 } + wobble(at)));
        for (at, point) in series.points.iter_mut().enumerate() {
            // Four of each time: 16 to 19 are of one.
            point.time_ms = Some(1000 * i64::try_from(at / 4).unwrap());
        }
        let within = |series: &Series| conclude_history(series).unwrap().changes[0].within.clone();
        let in_order = within(&series);
        series.ties = Ties::Unknown;
        assert!(
            in_order.len() < 4 && within(&series) == (16..20),
            "{in_order:?}"
        );
        // At the first of them: the one before may be any of its own time.
        for (at, point) in series.points.iter_mut().enumerate() {
            point.value = if at < 20 { 1.0 } else { 2.0 } + wobble(at);
        }
        assert_eq!(within(&series), 16..24);
    }

    #[test]
    fn sizes_are_ratios_where_values_are_positive_and_differences_where_not() {
        let wobble = |at: usize| [0.0, 0.01, -0.01, 0.005][at % 4];
        let values = |level: f64| {
            let step = move |at| if at < 15 { level } else { level + 1.7 };
            (0..30).map(move |at| step(at) + wobble(at))
        };
        let found = conclude_history(&series(values(1.7))).unwrap();
        let [change] = found.changes.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!(change.at, 15);
        let ChangeSize::Ratio(ratio) = change.size else {
            panic!("{change:?}")
        };
        assert!(ratio.low.ratio() < 2.0 && ratio.high.ratio() > 2.0 && ratio.low.ratio() > 1.95);
        let found = conclude_history(&series(values(-0.5))).unwrap();
        let ChangeSize::Difference(size, ..) = found.changes[0].size else {
            panic!("{found:?}")
        };
        assert!((size - 1.7).abs() < 0.02);
        assert_eq!(conclude_history(&series([])), None);
    }
}
