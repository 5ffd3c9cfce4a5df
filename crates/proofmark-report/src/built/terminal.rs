//! The builds of a matrix: what became of each, and what differs between them though nobody asked
//! for it.

use proofmark_hint::hint;
use proofmark_project::{BuiltCell, Outcome, identical, uneven};

use crate::number::seconds;
use crate::style::{Style, Tone};
use crate::table::table;
use crate::text::{by_reason, one_line, printable, untied, wrapped};

/// Every build, with the flags that did not arrive and what nobody asked for; ends with a line
/// feed.
#[must_use]
pub fn terminal(cells: &[BuiltCell], style: &Style) -> String {
    let rows = cells.iter().map(|cell| row(cell).to_vec());
    let header = ["cell", "build", "asked for", "unasked"];
    let mut lines = table(*style, 1, &header, rows);
    let without = cells.iter().filter_map(|cell| match &cell.outcome {
        Outcome::Failed(failure) => Some((cell.cell.name.as_str(), failure.why.as_str())),
        Outcome::Made(_) => None,
    });
    let mut notes: Vec<String> = Vec::new();
    for (names, why) in by_reason(without) {
        let log = match names.as_slice() {
            [one] => cells.iter().find(|cell| cell.cell.name == *one).map(log),
            _ => None,
        };
        notes.push(format!(
            "no build: {}: {}{}",
            names.join(", "),
            one_line(why),
            log.unwrap_or_default()
        ));
    }
    for (cell, made) in cells.iter().filter_map(|cell| Some((cell, cell.made()?))) {
        let missing = made.flags.missing.iter();
        notes.extend(missing.map(|flag| {
            let (flag, why) = (printable(&flag.flag), printable(&flag.why));
            format!("{}: {flag} {why}", cell.cell)
        }));
    }
    notes.extend(uneven(cells).into_iter().map(|of| {
        format!(
            "{} differs and nobody asked for it: {} has it, {} has not",
            of.feature.words(),
            of.with.join(", "),
            of.without.join(", ")
        )
    }));
    notes.extend(identical(cells).into_iter().map(|same| {
        let names: Vec<String> = same.iter().map(|cell| format!("`{cell}`")).collect();
        format!("the images of {} are the same bytes", names.join(" and "))
    }));
    if !notes.is_empty() {
        lines.push(String::new());
    }
    for note in notes {
        let wrapped = wrapped(&note, style.columns(), "", "  ");
        lines.extend(wrapped.iter().map(|line| style.paint(Tone::Open, line)));
    }
    untied(&(lines.join("\n") + "\n"))
}

fn log(cell: &BuiltCell) -> String {
    if cell.log.is_file() {
        let log = hint("matrix log", &[&cell.cell.name]);
        format!("; {log} shows its output")
    } else {
        String::new()
    }
}

fn row(cell: &BuiltCell) -> [String; 4] {
    let name = printable(&cell.cell.name);
    let Some(made) = cell.made() else {
        return [name, "failed".to_owned(), String::new(), String::new()];
    };
    let build = if made.kept {
        "there".to_owned()
    } else {
        format!("made in {}", seconds(made.seconds))
    };
    let missing = made.flags.missing.len();
    let asked = match (made.flags.asked.is_empty(), missing) {
        (true, _) => String::new(),
        (false, 0) => "arrived".to_owned(),
        (false, _) => "not all arrived".to_owned(),
    };
    let unasked: Vec<&str> = made.flags.unasked().map(|of| of.feature.words()).collect();
    [name, build, asked, unasked.join(", ")]
}
