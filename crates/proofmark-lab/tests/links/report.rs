//! The table of `docs/links.md`, made of what became of the cells.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use crate::outcome::{Found, Outcome};
use crate::toolchain;

/// The columns.
const LINKERS: [&str; 4] = ["GNU ld", "gold", "lld", "mold"];
/// What stands around the table in the page.
const MARKS: [&str; 2] = [
    "<!-- The table begins: bench/links/run writes it. -->",
    "<!-- The table ends. -->",
];

/// What became of the cells, in this run and in earlier ones.
pub(crate) struct Results {
    file: PathBuf,
    page: PathBuf,
    known: BTreeMap<String, Found>,
    /// How many cells there are.
    cells: usize,
}

impl Results {
    /// Those that a repository has of these cells.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn open(repository: &Path, names: &[String]) -> Result<Results, String> {
        let file = repository.join("bench/results/links.json");
        let wrong = |what: &dyn std::fmt::Display| format!("{}: {what}", file.display());
        let known: Vec<Found> = match fs::read(&file) {
            Ok(text) => serde_json::from_slice(&text).map_err(|error| wrong(&error))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(wrong(&error)),
        };
        let names: HashSet<&String> = names.iter().collect();
        Ok(Results {
            known: known
                .into_iter()
                .filter(|one| names.contains(&one.cell))
                .map(|one| (one.cell.clone(), one))
                .collect(),
            file,
            page: repository.join("docs/links.md"),
            cells: names.len(),
        })
    }

    /// The names of the cells that were carried out and found right.
    pub(crate) fn cells(&self) -> HashSet<String> {
        let done = self
            .known
            .values()
            .filter(|one| !matches!(one.outcome, Outcome::Skipped { .. } | Outcome::Wrong { .. }));
        done.map(|one| one.cell.clone()).collect()
    }

    /// Adds what was found to the file at once: a run of hours may be ended before its end.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn add(&mut self, found: Found) -> Result<(), String> {
        self.known.insert(found.cell.clone(), found);
        let wrong = |what: &dyn std::fmt::Display| format!("{}: {what}", self.file.display());
        let all: Vec<&Found> = self.known.values().collect();
        let mut text = serde_json::to_string_pretty(&all).map_err(|error| wrong(&error))?;
        text.push('\n');
        // Whole or not at all, whenever the run is ended.
        let beside = self.file.with_extension("json.new");
        fs::write(&beside, text).map_err(|error| wrong(&error))?;
        fs::rename(&beside, &self.file).map_err(|error| wrong(&error))
    }

    /// Writes the table of them into the page.
    ///
    /// # Errors
    /// When the page has no marks, or cannot be read or written.
    pub(crate) fn write(&self) -> Result<(), String> {
        let all: Vec<&Found> = self.known.values().collect();
        write(&self.page, &all, self.cells)
    }
}

/// Writes the table into a page, between its marks.
fn write(page: &Path, found: &[&Found], cells: usize) -> Result<(), String> {
    let wrong = |what: &dyn std::fmt::Display| format!("{}: {what}", page.display());
    let text = fs::read_to_string(page).map_err(|error| wrong(&error))?;
    let [begin, end] = MARKS;
    let (before, rest) = text.split_once(begin).ok_or_else(|| wrong(&"no table"))?;
    let (_, after) = rest
        .split_once(end)
        .ok_or_else(|| wrong(&"no end of a table"))?;
    let whole = format!("{before}{begin}\n\n{}\n{end}{after}", table(found, cells));
    fs::write(page, whole).map_err(|error| wrong(&error))
}

fn table(found: &[&Found], all: usize) -> String {
    let mut rows: BTreeMap<(&str, &str), Vec<&Found>> = BTreeMap::new();
    for one in found {
        rows.entry((&one.row, &one.plants)).or_default().push(one);
    }
    let mut notes = Notes::default();
    let mut toolchains: BTreeMap<String, usize> = BTreeMap::new();
    for toolchain in toolchain::all().unwrap_or_default() {
        *toolchains.entry(toolchain.linker).or_default() += 1;
    }
    let mut text = format!(
        "| feature | planted | {} |\n| --- | --- |{}\n",
        LINKERS.join(" | "),
        " --- |".repeat(LINKERS.len())
    );
    for ((row, plants), cells) in rows {
        let columns: Vec<String> = LINKERS
            .iter()
            .map(|linker| {
                let of: Vec<&Found> = cells
                    .iter()
                    .filter(|cell| cell.linker == *linker)
                    .copied()
                    .collect();
                column(&of, &toolchains, &mut notes)
            })
            .collect();
        // Writing to a string does not fail.
        let _ = writeln!(text, "| {row} | {plants} | {} |", columns.join(" | "));
    }
    let count =
        |which: fn(&Outcome) -> bool| found.iter().filter(|one| which(&one.outcome)).count();
    let _ = writeln!(
        text,
        "\n{all} cells: {} work, {} are refused by name, {} do not exist, {} were skipped, {} are wrong, {} were not run.\n",
        count(|one| matches!(one, Outcome::Works { .. })),
        count(|one| matches!(one, Outcome::Refused { .. })),
        count(|one| matches!(one, Outcome::NotApplicable { .. })),
        count(|one| matches!(one, Outcome::Skipped { .. })),
        count(|one| matches!(one, Outcome::Wrong { .. })),
        all.saturating_sub(found.len()),
    );
    for (number, note) in (1..).zip(&notes.0) {
        let _ = writeln!(text, "{number}. {note}");
    }
    text
}

/// Reasons, each once.
#[derive(Default)]
struct Notes(Vec<String>);

impl Notes {
    fn number(&mut self, reason: &str) -> usize {
        let reason = short(reason);
        let at = self.0.iter().position(|known| *known == reason);
        at.unwrap_or_else(|| {
            self.0.push(reason);
            self.0.len() - 1
        }) + 1
    }
}

/// What a refusal says in a line: what it most likely comes from, or its first sentence.
fn short(reason: &str) -> String {
    let likely = reason
        .lines()
        .find_map(|line| line.trim().strip_prefix("likely: "));
    let mut lines = reason.lines().map(str::trim);
    let mut line = likely.or_else(|| lines.next()).unwrap_or(reason).to_owned();
    if let (true, Some(more)) = (line.ends_with(':'), lines.next()) {
        line = format!("{line} {more}");
    }
    line.replace('|', "\\|")
}

/// What one linker makes of a feature, over compilers and kinds of link-time optimisation.
fn column(cells: &[&Found], toolchains: &BTreeMap<String, usize>, notes: &mut Notes) -> String {
    let mut said: BTreeMap<(u8, String), Vec<&str>> = BTreeMap::new();
    for cell in cells {
        let (rank, words) = match &cell.outcome {
            Outcome::Works { .. } => (0, "works".to_owned()),
            Outcome::Refused { why } => (1, format!("refused ({})", notes.number(why))),
            Outcome::NotApplicable { why } => (2, format!("none ({})", notes.number(why))),
            Outcome::Skipped { needs } => (3, format!("needs {needs}")),
            Outcome::Wrong { .. } => (4, "**wrong**".to_owned()),
        };
        said.entry((rank, words)).or_default().push(&cell.toolchain);
    }
    let all = toolchains.get(cells.first().map_or("", |cell| &cell.linker));
    let one = said.len() == 1 && all == Some(&cells.len());
    let words = said.into_iter().map(|((_, words), with)| {
        if one {
            words
        } else {
            format!("{words} with {}", with.join(", "))
        }
    });
    words.collect::<Vec<_>>().join("; ")
}
