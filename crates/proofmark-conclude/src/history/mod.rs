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
    /// Positions at which the new level may begin as well (95 % for one change).
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
        within: change.within.clone(),
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
        }
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
