//! A ledger as a diary: the tables, then what happened day by day.

use proofmark_evidence::record::{LedgerEvent, LedgerRun};

use super::rows::{Over, Table, tables, with_ends};
use super::{LedgerView, figure, question, reading, words};
use crate::markup::escaped;
use crate::number::minute;
use crate::text::{one_line, untied};

/// A ledger as Markdown (GitHub's); ends with a line feed.
#[must_use]
pub fn markdown(ledger: &LedgerView<'_>) -> String {
    let name = &ledger.recorded.ledger.name;
    let mut lines = vec![format!("# Ledger {}", escaped(name)), String::new()];
    for (one, ends) in with_ends(&tables(ledger)) {
        lines.push(format!("## {}", escaped(&words::title(one))));
        lines.push(String::new());
        lines.extend(grid(one));
        let stack = words::of_guards(&one.guards()).into_iter();
        let stack = stack.map(|said| format!("the whole stack: {said}"));
        let unbuilt = stack.chain(words::unbuilt(one));
        lines.extend(unbuilt.flat_map(|said| [escaped(&said), String::new()]));
        lines.extend(by_benchmark(one));
        if ends {
            let warnings = words::warnings(one).into_iter();
            lines.extend(
                warnings.flat_map(|said| [format!("> ⚠ {}", escaped(&said)), String::new()]),
            );
            let null = words::null(one);
            lines.extend(null.iter().flat_map(|null| [escaped(null), String::new()]));
            lines.extend([escaped(&words::how_to_read(one, true)), String::new()]);
        }
    }
    lines.extend([escaped(&words::budget(ledger)), String::new()]);
    lines.extend([words::for_others(ledger), String::new()]);
    lines.extend(["## Diary".to_owned(), String::new()]);
    for entry in &ledger.recorded.entries {
        lines.push(format!(
            "**{}** — {}",
            minute(entry.at_ms),
            happened(ledger, entry.index, &entry.of)
        ));
        lines.push(String::new());
        if let LedgerEvent::Measured { run } = &entry.of {
            lines.extend(ideas(run));
        }
    }
    untied(&(lines.join("\n") + "\n"))
}

fn happened(ledger: &LedgerView<'_>, index: u32, of: &LedgerEvent) -> String {
    match of {
        LedgerEvent::Measured { run } => {
            let stacks = run
                .asked
                .stacks
                .iter()
                .map(|stack| format!("stack {}", stack.name));
            let ideas = run.asked.ideas.iter().map(|idea| idea.name.clone());
            let what: Vec<String> = stacks.chain(ideas).collect();
            format!(
                "measured side by side: {} (matrix {})",
                escaped(&what.join(", ")),
                run.matrix.short()
            )
        }
        LedgerEvent::Decided {
            idea,
            decision,
            because,
            ..
        } => format!(
            "{} **{}**: {}",
            escaped(idea),
            words::decision(*decision),
            escaped(&one_line(because))
        ),
        LedgerEvent::Claimed { claim } => {
            format!(
                "claimed, before it was measured: {}",
                escaped(&words::claimed(claim))
            )
        }
        LedgerEvent::Screened { .. } | LedgerEvent::Confirmed { .. } => {
            let said = words::confirmation(ledger, index, of);
            escaped(&said.unwrap_or_else(|| "confirmed".to_owned()))
        }
    }
}

/// What one run tried, and what the error budget said of it.
fn ideas(run: &LedgerRun) -> Vec<String> {
    let ideas = (0..).zip(&run.asked.ideas).map(|(at, idea)| {
        let mut said = vec![escaped(
            idea.hypothesis.as_deref().unwrap_or("no hypothesis"),
        )];
        let build = usize::try_from(idea.with).ok();
        let build = build.and_then(|place| run.asked.builds.get(place));
        said.extend(
            build
                .and_then(|build| build.why.as_ref())
                .map(|why| escaped(&format!("not measured: {why}"))),
        );
        let files = build.and_then(|build| words::of_files(&build.files));
        said.extend(files.map(|files| escaped(&files)));
        let test = run.tests.iter().find(|test| test.idea == at);
        said.extend(test.map(|test| question::tested(run, test)));
        format!("* {}: {}", escaped(&idea.name), said.join("; "))
    });
    ideas.chain([String::new()]).collect()
}

fn line(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|text| escaped(text)).collect();
    format!("| {} |", cells.join(" | "))
}

fn head(names: &[&str]) -> [String; 2] {
    [
        format!("| {} |", names.join(" | ")),
        format!("|{}", " --- |".repeat(names.len())),
    ]
}

fn grid(of: &Table<'_>) -> Vec<String> {
    let guarded = of.is_guarded();
    let rows = of.rows.iter().map(|row| {
        let four = of.four(row, Over::Suite);
        let decision = row.decision.as_ref();
        let mut cells = vec![
            row.idea.to_owned(),
            figure::shown(four.alone.as_ref()),
            figure::shown(four.added.as_ref()),
            figure::shown(four.left_out.as_ref()),
            figure::shown(four.interaction.as_ref()),
            words::gates(row.gates).to_owned(),
        ];
        cells.extend(guarded.then(|| words::guards(&row.guards).to_owned()));
        let decided = words::decided(decision);
        let reason = decision.map_or_else(
            || one_line(row.unbuilt.unwrap_or_default()),
            |decided| one_line(decided.because),
        );
        cells.extend([decided, reason]);
        line(&cells)
    });
    let mut names = vec![
        "idea",
        "alone",
        "added to the stack",
        "left out of the stack",
        "interaction",
        "gates",
    ];
    if guarded {
        names.push("guards");
    }
    names.extend(["decision", "reason"]);
    head(&names)
        .into_iter()
        .chain(rows)
        .chain([String::new()])
        .collect()
}

fn by_benchmark(of: &Table<'_>) -> Vec<String> {
    let overs = of.overs();
    let mut lines = vec![
        "<details><summary>Groups and benchmarks</summary>".to_owned(),
        String::new(),
    ];
    let mixed = reading::is_mixed(of.run);
    let mut names = vec!["idea", "on", "alone", "added", "left out", "interaction"];
    if mixed {
        names.insert(2, "better");
    }
    lines.extend(head(&names));
    for row in of.rows.iter().filter(|row| of.is_measured(row)) {
        for (over, on) in overs.iter().skip(1) {
            let four = of.four(row, *over);
            let mut cells = vec![row.idea.to_owned(), on.clone()];
            cells.extend(mixed.then(|| reading::side(of.run, *over).to_owned()));
            let figures = [four.alone, four.added, four.left_out, four.interaction];
            cells.extend(figures.iter().map(|one| figure::shown(one.as_ref())));
            lines.push(line(&cells));
        }
    }
    lines.extend([String::new(), "</details>".to_owned(), String::new()]);
    lines
}
