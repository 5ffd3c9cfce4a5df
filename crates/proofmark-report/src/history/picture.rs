//! A history as a picture: a timeline for each metric.

use proofmark_conclude::history::{HistoryFound, Series};
use proofmark_picture::{Format, LevelLine, Mark, PictureError, Theme, Timeline, timelines};

use super::Histories;
use super::rows::{estimate, label, listed, time};

/// Histories as a picture, below one another.
///
/// # Errors
/// When it cannot be drawn.
pub fn picture(
    histories: &Histories<'_>,
    format: Format,
    theme: Theme,
) -> Result<Vec<u8>, PictureError> {
    let lines: Vec<Timeline> = histories
        .series
        .iter()
        .map(|(series, found)| timeline(series, found, histories.margin))
        .collect();
    timelines(&lines, format, theme)
}

fn timeline(series: &Series, found: &HistoryFound, margin: f64) -> Timeline {
    let (changes, _) = listed(found, margin);
    let marks = changes.iter().map(|(_, change)| Mark {
        at: change.at,
        text: format!("{} {}", label(series, change.at), estimate(change)),
    });
    let name = |at: usize| time(series, at).map_or_else(|| label(series, at), |time| day(&time));
    Timeline {
        title: series.name.clone(),
        about: "recorded by another tool; lines are levels, marks are where they change".to_owned(),
        unit: series.unit.clone().unwrap_or_default(),
        values: series
            .points
            .iter()
            .map(|point| Some(point.value))
            .collect(),
        names: (0..series.points.len()).map(name).collect(),
        levels: found
            .levels
            .iter()
            .map(|level| LevelLine {
                at: level.at.clone(),
                value: level.mean,
            })
            .collect(),
        marks: marks.collect(),
        ..Timeline::default()
    }
}

/// The day of a time.
fn day(time: &str) -> String {
    time.split(' ').next().unwrap_or_default().to_owned()
}
