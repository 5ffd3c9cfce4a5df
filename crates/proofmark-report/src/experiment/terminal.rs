//! A recorded experiment on a terminal: what was found, then what it rests on.

use proofmark_evidence::Recorded;

use crate::method::{
    again, blocks, layout_reason, left_out, limits, machine, method, programs, provenance, trees,
    warnings,
};
use crate::number::counted;
use crate::style::{Style, Tone};
use crate::text::{flowed, printable, untied, wrapped};
use crate::warning::{Said, in_words};
use crate::wording::metric_name;
use crate::{comparison, null};

/// An experiment as a terminal shows it; ends with a line feed. Every line fits into the style's
/// width.
#[must_use]
pub fn terminal(recorded: &Recorded, style: &Style) -> String {
    let style = *style;
    let mut lines = match (&recorded.conclusion, &recorded.null_conclusion) {
        (Some(conclusion), _) => comparison::terminal::lines(recorded, conclusion, style),
        (None, Some(null)) => null::terminal::lines(recorded, null, style),
        (None, None) => unfinished(recorded, style),
    };
    lines.extend(footer(recorded, style));
    untied(&(lines.join("\n") + "\n"))
}

fn unfinished(recorded: &Recorded, style: Style) -> Vec<String> {
    let names: Vec<String> = recorded
        .experiment
        .builds
        .iter()
        .map(|build| printable(&build.name))
        .collect();
    let metric = metric_name(&recorded.experiment.benchmark.metric);
    let done = counted(blocks(recorded), "block", "blocks");
    let head = format!(
        "unfinished: {metric} of {}, {done} measured, no verdict yet",
        names.join(", ")
    );
    let mut lines: Vec<String> = wrapped(&head, style.columns(), "", "  ")
        .iter()
        .map(|line| style.paint(Tone::Open, line))
        .collect();
    lines.extend(wrapped(
        "the same command goes on from here",
        style.columns(),
        "  ",
        "  ",
    ));
    lines.extend(flowed(&method(recorded), style.columns(), "  "));
    lines
}

fn footer(recorded: &Recorded, style: Style) -> Vec<String> {
    let columns = style.columns();
    let mut lines = Vec::new();
    for line in trees(recorded).into_iter().chain(programs(recorded)) {
        lines.extend(wrapped(&line, columns, "  ", "    "));
    }
    if let Some(reason) = layout_reason(recorded) {
        lines.extend(wrapped(&reason, columns, "  ", "    "));
    }
    if let Some(left_out) = left_out(recorded.private) {
        lines.extend(wrapped(left_out, columns, "  ", "    "));
    }
    for warning in warnings(recorded) {
        let Said { found, remedy } = in_words(warning);
        let found = wrapped(&printable(&found), columns, "  ! ", "    ");
        lines.extend(found.iter().map(|line| style.paint(Tone::Open, line)));
        if !remedy.is_empty() {
            lines.extend(wrapped(&printable(&remedy), columns, "    → ", "      "));
        }
    }
    for note in &recorded.notes {
        lines.extend(wrapped(
            &format!("note: {}", printable(&note.text)),
            columns,
            "  ",
            "    ",
        ));
    }
    if let Some(limits) = limits(recorded) {
        let wrapped = wrapped(&limits, columns, "  ", "    ");
        lines.extend(wrapped.iter().map(|line| style.paint(Tone::Aside, line)));
    }
    for items in [machine(recorded), provenance(recorded), again(recorded)] {
        lines.extend(
            flowed(&items, columns, "  ")
                .iter()
                .map(|line| style.paint(Tone::Aside, line)),
        );
    }
    lines
}
