//! The cells of a matrix: the product of its axes, without what is excluded and with what is
//! included. Pure: nothing is looked for.

use std::collections::HashSet;

use super::cell::{Axes, Cell};
use super::definition::{Definitions, FlagSet};
use super::problem::Problem;
use super::select::{self, baseline, included};
use super::source;
use crate::toolchain::ToolchainDefinition;

/// The cells of a matrix, in the order of its axes: toolchains, then sources, flag sets, program
/// options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cells {
    /// Each one; names differ.
    pub all: Vec<Cell>,
    /// Indices of the baselines, in the order in which they are written down.
    pub baselines: Vec<usize>,
}

impl Cells {
    /// The cell with this name, its words in any order where only one cell has them.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Cell> {
        let names: Vec<&str> = self.all.iter().map(|cell| cell.name.as_str()).collect();
        cell_named(&names, name)
            .ok()
            .and_then(|at| self.all.get(at))
    }

    /// The cell with this name, its words in any order where only one cell has them.
    ///
    /// # Errors
    /// When there is none, or more than one: names the nearest.
    pub fn named(&self, name: &str) -> Result<&Cell, Problem> {
        let names: Vec<&str> = self.all.iter().map(|cell| cell.name.as_str()).collect();
        let at = cell_named(&names, name)?;
        self.all
            .get(at)
            .ok_or_else(|| Problem::new(&[], "there is no such cell"))
    }
}

/// Which of these cells is meant: the one of exactly this name, or else the only one that has these
/// words.
///
/// # Errors
/// When there is none, or several: flag sets that are joined in another order make another cell.
pub fn cell_named(names: &[&str], asked: &str) -> Result<usize, Problem> {
    let exact = asked.split_whitespace().collect::<Vec<&str>>().join(" ");
    if let Some(at) = names.iter().position(|name| *name == exact) {
        return Ok(at);
    }
    let words = select::sorted(asked);
    let same = |at: &usize| select::sorted(names[*at]) == words;
    let found: Vec<usize> = (0..names.len()).filter(same).collect();
    match found.as_slice() {
        [one] => Ok(*one),
        [] => {
            let what = format!("there is no cell `{asked}` in the matrix");
            Err(Problem::new(&[], what).among(asked, names.iter().copied()))
        }
        several => {
            let could: Vec<String> = several
                .iter()
                .map(|at| format!("`{}`", names[*at]))
                .collect();
            let what = format!("`{asked}` could be {}", could.join(" or "));
            let next =
                "the order of flag sets tells them apart: write the words as in one of these";
            Err(Problem::new(&[], what).next(next))
        }
    }
}

/// Makes the cells of a matrix.
///
/// # Errors
/// When a name is unknown or stands for two things, a selection matches nothing, or two cells would
/// have one name; the problem says where.
pub fn cells(of: &Definitions) -> Result<Cells, Problem> {
    check_names(of)?;
    let axes = AxisNames::of(of)?;
    source::check(of, &axes.sources)?;
    let mut all = Vec::new();
    for toolchain in &axes.toolchains {
        for source in &axes.sources {
            for flags in &axes.flags {
                for options in &axes.options {
                    if fits(of, toolchain, flags) {
                        all.push(Axes {
                            toolchain: toolchain.clone(),
                            source: source.clone(),
                            flags: flags.clone(),
                            options: options.clone(),
                        });
                    }
                }
            }
        }
    }
    exclude(of, &mut all)?;
    for (at, words) in of.matrix.include.iter().enumerate() {
        all.push(included(of, &axes, words, at)?);
    }
    if all.is_empty() {
        return Err(Problem::new(&["matrix"], "the matrix has no cells"));
    }
    named(of, all)
}

/// The names along each axis.
pub(super) struct AxisNames {
    pub(super) toolchains: Vec<String>,
    pub(super) sources: Vec<String>,
    flags: Vec<Vec<String>>,
    options: Vec<Option<String>>,
}

impl AxisNames {
    fn of(of: &Definitions) -> Result<AxisNames, Problem> {
        let matrix = &of.matrix;
        let toolchains = matrix.toolchains.clone();
        let toolchains = toolchains.unwrap_or_else(|| of.toolchains.keys().cloned().collect());
        for (at, name) in toolchains.iter().enumerate() {
            if of.toolchain(name).is_none() {
                return Err(unknown("toolchain", "toolchains", at, name)
                    .among(name, of.toolchains.keys().map(String::as_str)));
            }
        }
        let sources = matrix.sources.clone();
        let sources = sources.unwrap_or_else(|| of.sources.keys().cloned().collect());
        for (at, name) in sources.iter().enumerate() {
            if !of.sources.contains_key(name) {
                return Err(unknown("source", "sources", at, name)
                    .among(name, of.sources.keys().map(String::as_str)));
            }
        }
        Ok(AxisNames {
            toolchains: filled("toolchain", toolchains)?,
            sources: filled("source", sources)?,
            flags: flags(of)?,
            options: options(of)?,
        })
    }
}

fn filled(what: &str, names: Vec<String>) -> Result<Vec<String>, Problem> {
    if names.is_empty() {
        let next = format!("write one down as `[{what}.NAME]`");
        return Err(Problem::new(&["matrix"], format!("there is no {what}")).next(next));
    }
    Ok(names)
}

fn unknown(what: &str, list: &str, at: usize, name: &str) -> Problem {
    let what = format!("there is no {what} `{name}`");
    Problem::new(&["matrix", list, &at.to_string()], what)
}

fn flags(of: &Definitions) -> Result<Vec<Vec<String>>, Problem> {
    let Some(entries) = &of.matrix.flags else {
        return Ok(vec![Vec::new()]);
    };
    let mut found = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let names: Vec<String> = entry.split_whitespace().map(str::to_owned).collect();
        if let Some(name) = names.iter().find(|name| !of.flags.contains_key(*name)) {
            return Err(unknown("flag set", "flags", at, name)
                .among(name, of.flags.keys().map(String::as_str)));
        }
        found.push(names);
    }
    Ok(found)
}

fn options(of: &Definitions) -> Result<Vec<Option<String>>, Problem> {
    let Some(entries) = &of.matrix.options else {
        return Ok(vec![None]);
    };
    let mut found = Vec::new();
    for (at, name) in entries.iter().enumerate() {
        if !name.is_empty() && !of.options.contains_key(name) {
            let known = of.options.keys().map(String::as_str);
            return Err(unknown("set of program options", "options", at, name).among(name, known));
        }
        found.push((!name.is_empty()).then(|| name.clone()));
    }
    Ok(found)
}

/// Whether a toolchain takes these flag sets.
pub(super) fn fits(of: &Definitions, toolchain: &String, flags: &[String]) -> bool {
    let sets = flags.iter().filter_map(|name| of.flags.get(name));
    let takes = |set: &FlagSet| {
        (set.only.is_empty() || set.only.contains(toolchain)) && !set.except.contains(toolchain)
    };
    sets.into_iter().all(takes)
}

fn exclude(of: &Definitions, all: &mut Vec<Axes>) -> Result<(), Problem> {
    for (at, words) in of.matrix.exclude.iter().enumerate() {
        let before = all.len();
        let words: Vec<&str> = words.split_whitespace().collect();
        let goes = |axes: &Axes| {
            words
                .iter()
                .all(|word| axes.words().any(|has| has == *word))
        };
        all.retain(|axes| words.is_empty() || !goes(axes));
        if all.len() == before {
            let what = format!("`{}` excludes no cell", words.join(" "));
            let known: Vec<&str> = all.iter().flat_map(Axes::words).collect();
            let stranger = words.iter().find(|word| !known.contains(word));
            let problem = Problem::new(&["matrix", "exclude", &at.to_string()], what);
            return Err(match stranger {
                Some(word) => {
                    let known: HashSet<&str> = known.into_iter().collect();
                    problem.among(word, known)
                }
                None => problem.next("no cell has all of these words"),
            });
        }
    }
    Ok(())
}

/// Gives each cell its name and finds the baselines.
fn named(of: &Definitions, all: Vec<Axes>) -> Result<Cells, Problem> {
    let several = all.iter().any(|axes| axes.source != all[0].source);
    let mut cells: Vec<Cell> = Vec::new();
    for axes in all {
        let name = axes.name(several);
        if cells.iter().any(|cell| cell.name == name) {
            let what = format!("the cell `{name}` is in the matrix twice");
            return Err(Problem::new(&["matrix"], what).next("every build has a name of its own"));
        }
        cells.push(Cell {
            name,
            axes,
            baseline: false,
        });
    }
    let mut baselines = Vec::new();
    for (at, words) in of.matrix.baselines.iter().enumerate() {
        let index = baseline(&cells, words, at)?;
        cells[index].baseline = true;
        if !baselines.contains(&index) {
            baselines.push(index);
        }
    }
    Ok(Cells {
        all: cells,
        baselines,
    })
}

/// A word that names two things could not be told apart in a cell's name.
fn check_names(of: &Definitions) -> Result<(), Problem> {
    let axes: [(&str, &str, Vec<&String>); 4] = [
        ("toolchain", "a toolchain", toolchain_names(of)),
        ("source", "a source", of.sources.keys().collect()),
        ("flags", "a flag set", of.flags.keys().collect()),
        ("options", "program options", of.options.keys().collect()),
    ];
    let mut seen: Vec<(&String, &str)> = Vec::new();
    for (table, kind, names) in &axes {
        for name in names {
            let at = [*table, name.as_str()];
            if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c.is_control()) {
                let what = format!("`{name}` is no name for {kind}: it has to be one word");
                return Err(Problem::new(&at, what));
            }
            if let Some((_, other)) = seen.iter().find(|(known, _)| known == name) {
                let what = format!("`{name}` names {other} and {kind}");
                let next = "cells are named by these words: give one of them another name";
                return Err(Problem::new(&at, what).next(next));
            }
            seen.push((name, kind));
        }
    }
    for (name, set) in &of.flags {
        for (key, names) in [("only", &set.only), ("except", &set.except)] {
            if let Some(stranger) = names.iter().find(|name| of.toolchain(name).is_none()) {
                let what = format!("there is no toolchain `{stranger}`");
                return Err(Problem::new(&["flags", name, key], what).among(
                    stranger,
                    toolchain_names(of).into_iter().map(String::as_str),
                ));
            }
        }
    }
    Ok(())
}

/// Those that are defined, and those that the matrix names without defining them.
fn toolchain_names(of: &Definitions) -> Vec<&String> {
    let mut names: Vec<&String> = of.toolchains.keys().collect();
    for name in of.matrix.toolchains.iter().flatten() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

impl Definitions {
    /// The toolchain with this name: as defined, or as the name implies.
    #[must_use]
    pub fn toolchain(&self, name: &str) -> Option<ToolchainDefinition> {
        self.toolchains
            .get(name)
            .cloned()
            .or_else(|| ToolchainDefinition::implied(name))
    }

    /// Names of all toolchains: defined, or named by the matrix.
    #[must_use]
    pub fn toolchain_names(&self) -> Vec<&String> {
        toolchain_names(self)
    }
}
