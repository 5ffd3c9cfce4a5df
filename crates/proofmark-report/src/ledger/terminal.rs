//! A ledger on a terminal.

use super::rows::{Over, Table, tables, with_ends};
use super::{LedgerView, figure, reading, words};
use crate::style::{Style, Tone};
use crate::table::table;
use crate::text::{printable, shortened, untied, wrapped};

/// Longest name of an idea in a table.
const NAME: usize = 20;

/// A ledger for a terminal; ends with a line feed. `full` adds each group and each benchmark.
#[must_use]
pub fn terminal(ledger: &LedgerView<'_>, full: bool, style: &Style) -> String {
    let style = *style;
    let mut lines = Vec::new();
    let paragraph = |text: &str, tone: Tone| -> Vec<String> {
        let text = wrapped(&printable(text), style.columns(), "", "");
        text.iter().map(|line| style.paint(tone, line)).collect()
    };
    let tables = tables(ledger);
    let apart = words::confirmations(ledger);
    if tables.is_empty() && apart.is_empty() {
        lines.extend(paragraph("nothing was measured yet", Tone::Open));
    }
    for (one, ends) in with_ends(&tables) {
        lines.extend(paragraph(&words::title(one), Tone::Figure));
        lines.extend(grid(one, style));
        if full {
            lines.push(String::new());
            lines.extend(by_benchmark(one, style));
        }
        for row in &one.rows {
            let said = printable(&words::of_idea(row).join("; "));
            let first = format!("  {}: ", printable(row.idea));
            lines.extend(wrapped(&said, style.columns(), &first, "    "));
        }
        let stack = words::of_guards(&one.guards()).into_iter();
        let stack = stack.map(|said| format!("the whole stack: {said}"));
        for said in stack.chain(words::unbuilt(one)) {
            lines.extend(wrapped(&printable(&said), style.columns(), "  ", "    "));
        }
        if ends {
            for said in words::warnings(one) {
                let said = wrapped(&printable(&said), style.columns(), "! ", "  ");
                lines.extend(said.iter().map(|line| style.paint(Tone::Open, line)));
            }
            let null = words::null(one);
            lines.extend(null.iter().flat_map(|null| paragraph(null, Tone::Aside)));
            lines.extend(paragraph(&words::how_to_read(one, full), Tone::Aside));
        }
        lines.push(String::new());
    }
    for said in apart {
        lines.extend(paragraph(&said, Tone::Figure));
    }
    lines.extend(paragraph(&words::budget(ledger), Tone::Aside));
    lines.extend(paragraph(&words::for_others(ledger), Tone::Aside));
    untied(&(lines.join("\n") + "\n"))
}

fn name(text: &str) -> String {
    shortened(&printable(text), NAME)
}

fn grid(of: &Table<'_>, style: Style) -> Vec<String> {
    let guarded = of.is_guarded();
    let mut header = vec!["idea", "alone", "added", "left out", "interaction", "gates"];
    if guarded {
        header.push("guards");
    }
    header.push("decision");
    let rows = of.rows.iter().map(|row| {
        let four = of.four(row, Over::Suite);
        let mut cells = vec![
            name(row.idea),
            figure::shown(four.alone.as_ref()),
            figure::shown(four.added.as_ref()),
            figure::shown(four.left_out.as_ref()),
            figure::shown(four.interaction.as_ref()),
            words::gates(row.gates).to_owned(),
        ];
        cells.extend(guarded.then(|| words::guards(&row.guards).to_owned()));
        cells.push(words::decided(row.decision.as_ref()));
        cells
    });
    table(style, 1, &header, rows)
}

/// Each group and each benchmark.
fn by_benchmark(of: &Table<'_>, style: Style) -> Vec<String> {
    let mixed = reading::is_mixed(of.run);
    let mut header = vec!["idea", "on", "alone", "added", "left out", "interaction"];
    if mixed {
        header.insert(2, "better");
    }
    let overs = of.overs();
    let measured = of.rows.iter().filter(|row| of.is_measured(row));
    let rows = measured.flat_map(|row| {
        let mut first = name(row.idea);
        let overs = overs.iter().skip(1);
        overs.map(move |(over, on)| {
            let four = of.four(row, *over);
            let mut cells = vec![std::mem::take(&mut first), name(on)];
            cells.extend(mixed.then(|| reading::side(of.run, *over).to_owned()));
            let figures = [four.alone, four.added, four.left_out, four.interaction];
            cells.extend(figures.iter().map(|one| figure::shown(one.as_ref())));
            cells
        })
    });
    table(style, 1, &header, rows)
}
