//! The builds of a matrix: what became of each, and what differs between them though nobody asked
//! for it.

use proofmark_hint::hint;
use proofmark_terms::Feature;

use super::rows::{BuildEntry, BuiltView};
use crate::number::seconds;
use crate::style::{Style, Tone};
use crate::table::table;
use crate::text::{by_reason, one_line, printable, untied, wrapped};

/// Every build, with the flags that did not arrive and what nobody asked for; ends with a line
/// feed.
#[must_use]
pub fn terminal(built: &BuiltView, style: &Style) -> String {
    let cells = &built.cells;
    let rows = cells.iter().map(|cell| row(cell).to_vec());
    let header = ["cell", "build", "asked for", "unasked"];
    let mut lines = table(*style, 1, &header, rows);
    let without = cells
        .iter()
        .filter_map(|cell| Some((cell.name.as_str(), cell.problem.as_deref()?)));
    let mut notes: Vec<String> = Vec::new();
    for (names, why) in by_reason(without) {
        let log = match names.as_slice() {
            [one] => cells.iter().find(|cell| cell.name == *one).map(log),
            _ => None,
        };
        notes.push(format!(
            "no build: {}: {}{}",
            names.join(", "),
            one_line(why),
            log.unwrap_or_default()
        ));
    }
    notes.extend(doubts(built));
    if !notes.is_empty() {
        lines.push(String::new());
    }
    for note in notes {
        let wrapped = wrapped(&note, style.columns(), "", "  ");
        lines.extend(wrapped.iter().map(|line| style.paint(Tone::Open, line)));
    }
    untied(&(lines.join("\n") + "\n"))
}

/// Why cells may be other builds than their names say: flags that did not arrive, what the build
/// read unseen, what differs between them though nobody asked for it, and which are the same.
#[must_use]
pub fn doubts(built: &BuiltView) -> Vec<String> {
    let cells = &built.cells;
    let mut notes = Vec::new();
    for (cell, flags) in cells
        .iter()
        .filter_map(|cell| Some((&cell.name, cell.flags.as_ref()?)))
    {
        let missing = flags.missing.iter();
        notes.extend(missing.map(|flag| {
            let (flag, why) = (printable(&flag.flag), printable(&flag.why));
            format!("{cell}: {flag} {why}")
        }));
    }
    let unseen = cells
        .iter()
        .filter_map(|cell| Some((cell.name.as_str(), cell.unseen.as_deref()?)));
    for (names, why) in by_reason(unseen) {
        notes.push(format!(
            "{}: what scripts and tools of the build read outside of the sources was not seen \
             ({}): name it in `inputs`",
            names.join(", "),
            one_line(why)
        ));
    }
    let taken = cells.iter().flat_map(|cell| {
        let said = cell.taken.iter().map(|one| {
            format!(
                "{} of {} objects are files of the sources, compiled for {}",
                one.objects,
                one.of,
                printable(&one.capture)
            )
        });
        said.map(|said| (cell.name.as_str(), said))
    });
    let taken: Vec<(&str, String)> = taken.collect();
    for (names, said) in by_reason(taken.iter().map(|(name, said)| (*name, said.as_str()))) {
        notes.push(format!("{}: {said}", names.join(", ")));
    }
    notes.extend(built.uneven.iter().map(|of| {
        format!(
            "{} differs and nobody asked for it: {} has it, {} has not",
            of.feature.words(),
            of.with.join(", "),
            of.without.join(", ")
        )
    }));
    notes.extend(built.identical.iter().map(|same| {
        let names: Vec<String> = same.iter().map(|cell| format!("`{cell}`")).collect();
        format!("the images of {} are the same bytes", names.join(" and "))
    }));
    notes
}

fn log(cell: &BuildEntry) -> String {
    if cell.has_log {
        let log = hint("matrix log", &[&cell.name]);
        format!("; {log} shows its output")
    } else {
        String::new()
    }
}

fn row(cell: &BuildEntry) -> [String; 4] {
    let name = printable(&cell.name);
    let Some(flags) = &cell.flags else {
        return [name, "failed".to_owned(), String::new(), String::new()];
    };
    let build = match cell.seconds {
        Some(took) if !cell.kept => format!("made in {}", seconds(took)),
        _ => "there".to_owned(),
    };
    let missing = flags.missing.len();
    let asked = match (flags.asked.is_empty(), missing) {
        (true, _) => String::new(),
        (false, 0) => "arrived".to_owned(),
        (false, _) => "not all arrived".to_owned(),
    };
    let unasked: Vec<&str> = flags.unasked().map(Feature::words).collect();
    [name, build, asked, unasked.join(", ")]
}
