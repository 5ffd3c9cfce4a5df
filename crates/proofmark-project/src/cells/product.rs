//! The cells of a matrix: the product of its axes, without what is excluded and with what is
//! included. Pure: nothing is looked for.

use std::collections::HashSet;

use super::axes::{AxisNames, fits};
use super::cell::{Axes, Cell};
use super::named::Cells;
use super::names;
use super::select::{baseline, included};
use crate::definition::{self, Definitions, Problem};

/// Makes the cells of a matrix.
///
/// # Errors
/// When a name is unknown or stands for two things, a selection matches nothing, or two cells would
/// have one name; the problem says where.
pub fn cells(of: &Definitions) -> Result<Cells, Problem> {
    names::check(of)?;
    definition::check_toolchains(of)?;
    let axes = AxisNames::of(of)?;
    names::check_flags(of, &axes)?;
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
