//! A history for programs.

use proofmark_conclude::history::{ChangeFound, ChangeSize, HistoryFound, Series};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::Histories;
use crate::document::{Document, enveloped};
use crate::number::rfc3339;

/// Histories and their changes.
#[derive(Serialize, JsonSchema)]
pub(crate) struct HistoryDocument {
    /// `imported`: another tool recorded the values, and nothing is known of layouts and blocks.
    kind: &'static str,
    /// By metric.
    series: Vec<SeriesEntry>,
}

/// One metric over time.
#[derive(Serialize, JsonSchema)]
struct SeriesEntry {
    /// The metric's name.
    name: String,
    /// What its values count; null where that is not known.
    unit: Option<String>,
    /// In the order of time.
    points: Vec<PointEntry>,
    /// Values that are alike, in the order of time.
    levels: Vec<LevelEntry>,
    /// Between each level and the next.
    changes: Vec<ChangeEntry>,
    /// Whether sizes are ratios: all values are positive.
    relative: bool,
    /// The standard deviation of the noise about the levels: relative, or in the metric's unit.
    noise: f64,
    /// How often a history without any change would show one as clear, 0 to 1; null without
    /// changes.
    p: Option<f64>,
}

/// A value.
#[derive(Serialize, JsonSchema)]
struct PointEntry {
    /// The commit, or whatever names the state.
    commit: Option<String>,
    /// RFC 3339, UTC.
    time: Option<String>,
    /// In the metric's unit.
    value: f64,
}

/// A level.
#[derive(Serialize, JsonSchema)]
struct LevelEntry {
    /// The position of its first value, from 0.
    first: usize,
    /// The position of its last value.
    last: usize,
    /// The mean without outliers, in the metric's unit.
    mean: f64,
    /// How many of its values are outliers.
    outliers: usize,
}

/// A change of the level.
#[derive(Serialize, JsonSchema)]
struct ChangeEntry {
    /// The position of the first value of the new level.
    position: usize,
    /// The first position at which the new level may begin (95 %).
    earliest: usize,
    /// The last position at which the new level may begin (95 %).
    latest: usize,
    /// New ÷ old with `relative`, else new − old in the metric's unit.
    size: f64,
    /// Lower bound of its 95 % interval.
    low: f64,
    /// Upper bound of its 95 % interval.
    high: f64,
    /// Whether it is as large as the margin.
    beyond_margin: bool,
}

impl Document for HistoryDocument {
    const SCHEMA: &'static str = "history";
}

/// Histories for programs.
#[must_use]
pub fn json(histories: &Histories<'_>) -> Value {
    let series = histories.series.iter();
    enveloped(&HistoryDocument {
        kind: "imported",
        series: series
            .map(|(series, found)| entry(series, found, histories.margin))
            .collect(),
    })
}

fn entry(series: &Series, found: &HistoryFound, margin: f64) -> SeriesEntry {
    let points = series.points.iter().map(|point| PointEntry {
        commit: point.commit.clone(),
        time: point
            .time_ms
            .and_then(|ms| Some(rfc3339(u64::try_from(ms).ok()?))),
        value: point.value,
    });
    let levels = found.levels.iter().map(|level| LevelEntry {
        first: level.at.start,
        last: level.at.end.saturating_sub(1),
        mean: level.mean,
        outliers: level.outliers,
    });
    SeriesEntry {
        name: series.name.clone(),
        unit: series.unit.clone(),
        points: points.collect(),
        levels: levels.collect(),
        changes: found
            .changes
            .iter()
            .map(|one| change(one, margin))
            .collect(),
        relative: found.relative,
        noise: found.noise,
        p: found.p_value,
    }
}

fn change(change: &ChangeFound, margin: f64) -> ChangeEntry {
    let ((size, low, high), beyond_margin) = match change.size {
        ChangeSize::Ratio(ratio) => (
            (
                ratio.estimate.ratio(),
                ratio.low.ratio(),
                ratio.high.ratio(),
            ),
            ratio.estimate.relative().abs() >= margin,
        ),
        ChangeSize::Difference(size, low, high) => ((size, low, high), true),
    };
    ChangeEntry {
        position: change.at,
        earliest: change.within.start,
        latest: change.within.end.saturating_sub(1),
        size,
        low,
        high,
        beyond_margin,
    }
}
