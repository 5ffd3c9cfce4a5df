//! A history on a terminal: a line that shows its course, and a table of its changes.

use proofmark_conclude::history::{HistoryFound, Series};

use super::Histories;
use super::rows::{label, levels, listed, size, time, within};
use crate::number::{grouped, rough, share};
use crate::sparkline::{bounds, sparkline};
use crate::style::{Style, Tone};
use crate::table::table;
use crate::text::{plural, printable, wrapped};

/// Histories as text, no wider than 80 columns where the style asks for that.
#[must_use]
pub fn terminal(histories: &Histories<'_>, style: &Style) -> String {
    let mut out = Vec::new();
    for (series, found) in histories.series {
        out.push(style.paint(Tone::Figure, &heading(series)));
        let values: Vec<f64> = series.points.iter().map(|point| point.value).collect();
        let bounds = bounds(&values);
        out.push(sparkline(&values, bounds, style.columns().min(78)));
        out.extend(changes(series, found, histories.margin, *style));
        out.push(String::new());
    }
    let note = "These values were recorded by another tool. They have no layouts and no blocks, so \
                that a change may be placement: compare the two commits to know.";
    for line in wrapped(note, style.columns(), "", "") {
        out.push(style.paint(Tone::Aside, &line));
    }
    out.push(String::new());
    out.join("\n")
}

fn heading(series: &Series) -> String {
    let count = series.points.len();
    let last = count.saturating_sub(1);
    let ends = match (time(series, 0), time(series, last)) {
        (Some(first), Some(last)) => format!(", {first} to {last}"),
        _ => format!(", {} to {}", label(series, 0), label(series, last)),
    };
    format!(
        "{}: {} value{}{ends}",
        printable(&series.name),
        grouped(count as u64),
        plural(count)
    )
}

fn changes(series: &Series, found: &HistoryFound, margin: f64, style: Style) -> Vec<String> {
    let (listed, smaller) = listed(found, margin);
    let noise = if found.relative {
        format!("noise {}", rough(found.noise))
    } else {
        format!("noise {}", super::rows::digits(found.noise))
    };
    let outliers: usize = found.levels.iter().map(|level| level.outliers).sum();
    let beside = format!("{noise}, {outliers} outlier{}", plural(outliers));
    let mut out = Vec::new();
    if listed.is_empty() {
        let what = if smaller == 0 {
            "no change of the level"
        } else {
            "no change of the level beyond the margin"
        };
        out.push(format!("  {what} ({beside})"));
    } else {
        let rows = listed.into_iter().map(|(at, change)| {
            vec![
                format!("  {}", label(series, change.at)),
                time(series, change.at).unwrap_or_default(),
                levels(series, found, at),
                size(change),
                within(change),
            ]
        });
        let header = ["  since", "", "level", "change", "or begins at"];
        out.extend(table(style, 1, &header, rows));
        let p_value = found
            .p_value
            .map_or_else(String::new, |p| format!(", p ≤ {}", share(p)));
        out.push(format!("  {beside}{p_value}"));
    }
    if smaller > 0 {
        let words = format!(
            "  {smaller} change{} of less than {} left out",
            plural(smaller),
            share(margin)
        );
        out.push(style.paint(Tone::Aside, &words));
    }
    out
}
