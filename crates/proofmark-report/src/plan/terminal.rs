//! A matrix before anything starts: which builds there are, which are missing, and what stands in
//! the way.

use proofmark_build::variants::{Plan, Planned, State};
use proofmark_hint::hint;
use proofmark_lab::{MatrixForecast, PlannedMember};

use super::{by_reason, compiler, forecast, seconds};
use crate::number::counted;
use crate::style::{Style, Tone};
use crate::table::table;
use crate::text::{one_line, printable, untied, wrapped};

/// A plan with what only the project's file knows.
#[derive(Debug)]
pub struct PlanView<'a> {
    /// The builds.
    pub plan: &'a Plan,
    /// Builds made at a time.
    pub parallel: usize,
    /// What measuring takes.
    pub forecast: &'a MatrixForecast,
}

/// What a command would build and run; ends with a line feed.
#[must_use]
pub fn plan(view: &PlanView<'_>, style: &Style) -> String {
    let cells = &view.plan.cells;
    let rows = cells.iter().map(|planned| row(view.plan, planned).to_vec());
    let mut lines = table(*style, 1, &["cell", "compiler", "build"], rows);
    lines.push(String::new());
    let mut say = |text: String, tone: Option<Tone>| {
        for line in wrapped(&text, style.columns(), "", "  ") {
            lines.push(tone.map_or_else(|| line.clone(), |tone| style.paint(tone, &line)));
        }
    };
    let blocked = cells.iter().filter_map(|planned| match &planned.state {
        State::Blocked(failure) => Some((planned.cell.name.as_str(), failure.why.as_str())),
        _ => None,
    });
    for (cells, why) in by_reason(blocked) {
        let text = format!("cannot be made: {cells}: {}", one_line(why));
        say(text, Some(Tone::Open));
    }
    for planned in cells {
        if let State::Missing {
            failed_before: Some(why),
        } = &planned.state
        {
            let cell = &planned.cell;
            let why = one_line(why);
            let log = hint("matrix log", &[&cell.name]);
            let text = format!("{cell} failed before: {why}; {log} shows its output");
            say(text, Some(Tone::Open));
        }
    }
    for same in view.plan.same() {
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

fn row(plan: &Plan, planned: &Planned) -> [String; 3] {
    let baseline = if planned.cell.baseline {
        " (baseline)"
    } else {
        ""
    };
    let found = plan.toolchain(&planned.cell.axes.toolchain);
    let state = match &planned.state {
        State::Built { seconds: took } => format!("there, took {}", seconds(*took)),
        State::Missing {
            failed_before: None,
        } => "to be made".to_owned(),
        State::Missing { .. } => "failed before; to be made again".to_owned(),
        State::Blocked(_) => "cannot be made".to_owned(),
    };
    [
        format!("{}{baseline}", printable(&planned.cell.name)),
        match found {
            Some(Ok(toolchain)) => compiler(toolchain),
            _ => "not found".to_owned(),
        },
        state,
    ]
}

fn summary(view: &PlanView<'_>) -> String {
    let (all, missing) = builds(view.plan);
    let mut text = format!(
        "{}, {}; {} to be made",
        of(view.plan.cells.len(), "cell", "cells"),
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

/// Each benchmark with how many sizes of it are run, at least 1.
pub(super) fn benchmarks(forecast: &MatrixForecast) -> Vec<(&str, usize)> {
    let same = |a: &PlannedMember, b: &PlannedMember| a.benchmark == b.benchmark;
    let sizes = forecast.members.chunk_by(same);
    sizes
        .map(|sizes| (sizes[0].benchmark.as_str(), sizes.len()))
        .collect()
}

fn of(number: usize, one: &str, many: &str) -> String {
    counted(u32::try_from(number).unwrap_or(u32::MAX), one, many)
}

/// Different builds, and those of them that are missing and can be made.
pub(super) fn builds(plan: &Plan) -> (usize, usize) {
    let mut keys: Vec<&str> = Vec::new();
    let mut missing = 0;
    for planned in &plan.cells {
        let Some(key) = &planned.key else { continue };
        if !keys.contains(&key.as_str()) {
            keys.push(key);
            missing += usize::from(matches!(planned.state, State::Missing { .. }));
        }
    }
    (keys.len(), missing)
}

/// Seconds that the missing builds take: each as long as those that are there of its source and
/// toolchain, else of its source, else as all of them; `None` where none is there.
#[expect(clippy::cast_precision_loss, reason = "a rough figure")]
pub(super) fn expected(view: &PlanView<'_>) -> Option<f64> {
    let cells = &view.plan.cells;
    let mut keys: Vec<&str> = Vec::new();
    let mut times: Vec<f64> = Vec::new();
    for planned in cells {
        let Some(key) = planned.key.as_deref() else {
            continue;
        };
        if matches!(planned.state, State::Missing { .. }) && !keys.contains(&key) {
            keys.push(key);
            times.push(like(cells, planned)?);
        }
    }
    let parallel = view.parallel.clamp(1, times.len().max(1));
    let longest = times.iter().copied().reduce(f64::max)?;
    Some(longest.max(times.iter().sum::<f64>() / parallel as f64))
}

/// The mean time of the builds that are most like this one.
#[expect(clippy::cast_precision_loss, reason = "a rough figure")]
fn like(cells: &[Planned], missing: &Planned) -> Option<f64> {
    let axes = &missing.cell.axes;
    let took = |alike: &dyn Fn(&Planned) -> bool| {
        let alike = cells.iter().filter(|planned| alike(planned));
        let times = alike.filter_map(|planned| match planned.state {
            State::Built { seconds } => Some(seconds),
            _ => None,
        });
        let times: Vec<f64> = times.collect();
        (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64)
    };
    let of_source = |planned: &Planned| planned.cell.axes.source == axes.source;
    let of_both =
        |planned: &Planned| of_source(planned) && planned.cell.axes.toolchain == axes.toolchain;
    took(&of_both)
        .or_else(|| took(&of_source))
        .or_else(|| took(&|_| true))
}
