//! A series as a picture: a timeline for each way of measuring each line.

use proofmark_conclude::series::{LevelChange, PairFound, Way};
use proofmark_picture::{Format, LevelLine, Mark, PictureError, Theme, Timeline, timelines};

use super::Shown;
use super::rows::{LineShown, day, heading, short, shown, way_name};
use crate::number::estimate_of;
use crate::text::untied;

/// Series as a picture, their lines below one another.
///
/// # Errors
/// When nothing is measured, or it cannot be drawn.
pub fn picture(series: &[Shown], format: Format, theme: Theme) -> Result<Vec<u8>, PictureError> {
    let mut all = Vec::new();
    for one in series {
        for line in shown(one) {
            for way in [Way::Drawn, Way::Shipped] {
                all.extend(timeline(one, &line, way));
            }
        }
    }
    timelines(&all, format, theme)
}

fn timeline(of: &Shown, line: &LineShown<'_>, way: Way) -> Option<Timeline> {
    let values = line.ratios(way).filter(|values| !values.is_empty())?;
    let here =
        |change: &&LevelChange<'_>| way == Way::Shipped || change.found == PairFound::Changed;
    let position = |place: u32| {
        let points = line.line.points.iter();
        points.take_while(|point| point.place < place).count()
    };
    let marks: Vec<Mark> = line
        .changes
        .iter()
        .filter(here)
        .map(|change| Mark {
            at: position(change.to),
            text: mark(line, change, way),
        })
        .collect();
    let mut edges: Vec<usize> = marks.iter().map(|mark| mark.at).collect();
    edges.insert(0, 0);
    edges.push(values.len());
    edges.dedup();
    let levels = edges.windows(2).map(|two| LevelLine {
        at: two[0]..two[1],
        value: mean(&values[two[0]..two[1]]),
    });
    Some(Timeline {
        title: untied(&format!("{}, {}", heading(of), way_name(way))),
        about: format!(
            "on {}; lines are levels between confirmed changes",
            crate::text::printable(line.line.about.machine.processor())
        ),
        unit: "÷ first anchor".to_owned(),
        names: line
            .line
            .points
            .iter()
            .map(|point| day(point.commit))
            .collect(),
        levels: levels.collect(),
        values: values.iter().copied().map(Some).collect(),
        marks,
        ..Timeline::default()
    })
}

/// The geometric mean, for values are ratios.
fn mean(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len().max(1) as f64).exp()
}

/// `a1b2c3d4e5 +3.1 %`, and in a word where it is placement.
fn mark(line: &LineShown<'_>, change: &LevelChange<'_>, way: Way) -> String {
    let interval = way.of(&change.ratio).unwrap_or(change.ratio.shipped);
    let size = estimate_of(&interval);
    let what = match change.found {
        PairFound::Placement | PairFound::PlacementPerhaps => {
            format!(", {}", line.kind(change))
        }
        _ => String::new(),
    };
    format!("{} {size}{what}", short(&change.newer.id))
}
