//! The cells of a matrix: the product of its axes, without what is excluded and with what is
//! included. Pure: nothing is looked for.

use std::collections::HashSet;

use super::axes::{AxisNames, fits};
use super::cell::{Axes, Cell};
use super::named::Cells;
use super::select::{baseline, included};
use crate::definition::{self, Definitions, Problem};

/// Makes the cells of a matrix.
///
/// # Errors
/// When a name is unknown or stands for two things, a selection matches nothing, or two cells would
/// have one name; the problem says where.
pub fn cells(of: &Definitions) -> Result<Cells, Problem> {
    check_names(of)?;
    let axes = AxisNames::of(of)?;
    definition::check(of, &axes.sources)?;
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
        ("toolchain", "a toolchain", of.toolchain_names()),
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
            if name.contains('*') || name.starts_with('-') {
                let what = format!("`{name}` is no name for {kind}");
                let next = "`*` stands for any words in `--cell`, and what begins with `-` is an \
                            option there: give it another name";
                return Err(Problem::new(&at, what).next(next));
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
            let known = of.toolchain_names();
            let included: Vec<&str> = (of.matrix.include.iter())
                .flat_map(|words| words.split_whitespace())
                .collect();
            // A name that means a compiler by itself may be another name of one of these.
            let is_meant =
                |name: &&String| known.contains(name) || included.contains(&name.as_str());
            if let Some(stranger) = names.iter().find(|name| !is_meant(name)) {
                let what = format!("there is no toolchain `{stranger}`");
                return Err(Problem::new(&["flags", name, key], what).among(
                    stranger,
                    of.toolchain_names().into_iter().map(String::as_str),
                ));
            }
        }
    }
    Ok(())
}
