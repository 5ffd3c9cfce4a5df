//! A ledger as a comment on a pull request: the stack measured last, idea by idea.

use proofmark_terms::Better;

use super::figure::Shown;
use super::markdown::markdown;
use super::rows::{Over, Table, tables};
use super::{LedgerView, figure, reading, words};
use crate::comment::{EvidenceFile, Parts, grid};
use crate::comparison::comment::counts;
use crate::number::{counted, setting};
use crate::style::Tone;

/// A ledger as a comment (GitHub's Markdown); ends with a line feed. `None` where nothing was
/// measured yet: there is no answer.
#[must_use]
pub fn comment(ledger: &LedgerView<'_>, file: &EvidenceFile) -> Option<String> {
    let tables = tables(ledger);
    let first = tables.first()?;
    // What a guard does not allow counts against all gains.
    let mut warnings: Vec<String> = guards(&tables);
    warnings.extend(words::null(first).filter(|_| differs(first)));
    warnings.extend(words::warnings(first));
    for row in tables.iter().flat_map(|table| &table.rows) {
        let why = row
            .unbuilt
            .map(|why| format!("{} has no figure: {why}", row.idea));
        warnings.extend(why);
        let out = row.out.iter();
        warnings.extend(out.map(|(on, why)| format!("{} is out of {on}: {why}", row.idea)));
    }
    warnings.extend(tables.iter().flat_map(words::unbuilt));
    let mut folded: Vec<String> = warnings
        .iter()
        .flat_map(|warning| {
            [
                format!("> ⚠ {}", crate::markup::escaped(warning)),
                String::new(),
            ]
        })
        .collect();
    folded.extend(markdown(ledger).lines().map(str::to_owned));
    let more = match tables.len() - 1 {
        0 => String::new(),
        more => format!("{more} more tables below"),
    };
    let parts = Parts {
        kind: "ledger",
        about: ledger.recorded.ledger.name.clone(),
        answer: (answer(first), more),
        table: table(first),
        believe: believe(ledger, first),
        warnings,
        folded,
    };
    Some(crate::comment::comment(&parts, file))
}

/// What is broken of guards, or may be: those of whole stacks first.
fn guards(tables: &[Table<'_>]) -> Vec<String> {
    let stacks = tables.iter().flat_map(|table| {
        let said = words::of_guards(&table.guards()).into_iter();
        said.map(|said| format!("the whole stack: {said}"))
    });
    let rows = tables.iter().flat_map(|table| &table.rows);
    let rows = rows.flat_map(|row| {
        let said = words::of_guards(&row.guards).into_iter();
        said.map(|said| format!("{}: {said}", row.idea))
    });
    stacks.chain(rows).collect()
}

/// What the stack makes of base; of ideas by themselves, how many are better.
fn answer(table: &Table<'_>) -> String {
    if table.stack.is_some() {
        return words::title(table);
    }
    let tone = |shown: &Shown| {
        let interval = &shown.figure.interval;
        let less = interval.estimate.ln() < 0.0;
        let is_better = match reading::better(table.run, Over::Suite) {
            Better::Lower => less,
            Better::Higher => !less,
        };
        match figure::open(interval) {
            true => Tone::Open,
            false if is_better => Tone::Better,
            false => Tone::Worse,
        }
    };
    let figures = table
        .rows
        .iter()
        .map(|row| table.four(row, Over::Suite).alone);
    let figures: Vec<Option<Shown>> = figures.collect();
    let whole = |shown: &&Shown| shown.part.is_none();
    let tones: Vec<Tone> = figures.iter().flatten().filter(whole).map(tone).collect();
    let mut said = counts(&tones, reading::words(table.run, Over::Suite));
    let without = figures.len() - tones.len();
    if without > 0 {
        said.push_str(&format!(", {without} without a figure over all benchmarks"));
    }
    let ideas = u32::try_from(figures.len()).unwrap_or(u32::MAX);
    format!(
        "{} alone: {}",
        counted(ideas, "idea", "ideas"),
        said.trim_start_matches(", ")
    )
}

/// Whether base differs from itself.
fn differs(table: &Table<'_>) -> bool {
    let null = table.null(Over::Suite);
    null.is_some_and(|null| !figure::open(&null.figure.interval))
}

fn table(of: &Table<'_>) -> Vec<String> {
    let (in_stack, guarded) = (of.stack.is_some(), of.is_guarded());
    let rows = of.rows.iter().map(|row| {
        let four = of.four(row, Over::Suite);
        let decided = words::decided(row.decision.as_ref());
        let mut cells = vec![row.idea.to_owned(), figure::shown(four.alone.as_ref())];
        if in_stack {
            cells.push(figure::shown(four.added.as_ref()));
        }
        cells.push(words::gates(row.gates).to_owned());
        cells.extend(guarded.then(|| words::guards(&row.guards).to_owned()));
        cells.push(decided);
        cells
    });
    let mut header = vec!["idea", "alone, %"];
    if in_stack {
        header.push("added to the stack, %");
    }
    header.push("gates");
    header.extend(guarded.then_some("guards"));
    header.push("decision");
    let header: Vec<String> = header.into_iter().map(str::to_owned).collect();
    grid(6, &header, &rows.collect::<Vec<_>>())
}

fn believe(ledger: &LedgerView<'_>, table: &Table<'_>) -> String {
    let picked = "what was picked by its figure is flattered by it, until it is confirmed afresh";
    let [less, more] = reading::ways(table.run, Over::Suite);
    format!(
        "the figures (below 0 is {less}, above {more}), which hold together with {} confidence, \
         for these benchmarks on this machine; in parentheses: no change is in the interval; of all \
         findings at most {} are expected to be none; {picked}",
        setting(table.run.confidence),
        setting(ledger.recorded.ledger.rate)
    )
}
