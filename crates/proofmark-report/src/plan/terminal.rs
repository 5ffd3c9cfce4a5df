//! A matrix before anything starts: which builds there are, which are missing, and what stands in
//! the way.

use proofmark_hint::hint;

use super::forecast;
use super::rows::{PlanView, PlannedCell, PlannedState, benchmarks, builds, expected};
use crate::number::{counted, seconds};
use crate::style::{Style, Tone};
use crate::table::table;
use crate::text::{by_reason, one_line, printable, untied, wrapped};

/// What a command would build and run; ends with a line feed.
#[must_use]
pub fn terminal(view: &PlanView<'_>, style: &Style) -> String {
    let cells = &view.cells;
    let rows = cells.iter().map(|planned| row(planned).to_vec());
    let mut lines = table(*style, 1, &["cell", "compiler", "build"], rows);
    lines.push(String::new());
    let mut say = |text: String, tone: Option<Tone>| {
        for line in wrapped(&text, style.columns(), "", "  ") {
            lines.push(tone.map_or_else(|| line.clone(), |tone| style.paint(tone, &line)));
        }
    };
    let blocked = cells.iter().filter_map(|planned| match &planned.state {
        PlannedState::Blocked { why } => Some((planned.name.as_str(), why.as_str())),
        _ => None,
    });
    for (cells, why) in by_reason(blocked) {
        let text = format!("cannot be made: {}: {}", cells.join(", "), one_line(why));
        say(text, Some(Tone::Open));
    }
    for planned in cells {
        if let PlannedState::Missing {
            failed_before: Some(why),
        } = &planned.state
        {
            let cell = &planned.name;
            let why = one_line(why);
            let log = hint("matrix log", &[cell]);
            let text = format!("{cell} failed before: {why}; {log} shows its output");
            say(text, Some(Tone::Open));
        }
    }
    for same in &view.same {
        let names: Vec<String> = same.iter().map(|cell| format!("`{cell}`")).collect();
        say(
            format!(
                "{} are one build: nothing that goes into it differs",
                names.join(" and ")
            ),
            Some(Tone::Open),
        );
    }
    say(summary(view), None);
    for paragraph in forecast::paragraphs(view.forecast) {
        say(paragraph, None);
    }
    untied(&(lines.join("\n") + "\n"))
}

fn row(planned: &PlannedCell) -> [String; 3] {
    let baseline = if planned.baseline { " (baseline)" } else { "" };
    let state = match &planned.state {
        PlannedState::Built { seconds: took } => format!("there, took {}", seconds(*took)),
        PlannedState::Missing {
            failed_before: None,
        } => "to be made".to_owned(),
        PlannedState::Missing { .. } => "failed before; to be made again".to_owned(),
        PlannedState::Blocked { .. } => "cannot be made".to_owned(),
    };
    [
        format!("{}{baseline}", printable(&planned.name)),
        planned
            .compiler
            .clone()
            .unwrap_or_else(|| "not found".to_owned()),
        state,
    ]
}

fn summary(view: &PlanView<'_>) -> String {
    let (all, missing) = builds(view);
    let mut text = format!(
        "{}, {}; {} to be made",
        of(view.cells.len(), "cell", "cells"),
        of(all, "build", "builds"),
        missing
    );
    match expected(view) {
        Some(expected) => text.push_str(&format!(", about {}", seconds(expected))),
        None if missing > 0 => {
            text.push_str(", how long is not known: none of them was ever built here");
        }
        None => {}
    }
    let benchmarks = benchmarks(view.forecast).len();
    let runs = view.forecast.members.len();
    if benchmarks > 0 {
        text.push_str(&format!(". {}", of(benchmarks, "benchmark", "benchmarks")));
        if runs > benchmarks {
            text.push_str(&format!(" in {runs} sizes"));
        }
    }
    text
}

fn of(number: usize, one: &str, many: &str) -> String {
    counted(u32::try_from(number).unwrap_or(u32::MAX), one, many)
}
