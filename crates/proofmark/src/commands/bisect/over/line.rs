//! Which cells of a project lie on a line, and in which order.

use proofmark_evidence::record::Axis;
use proofmark_project::{Cell, Project};

use super::super::asked::{BisectArgs, Over};
use crate::exit::Usage;

/// What a state without flags is called.
const NO_FLAGS: &str = "no flags";

/// Cells that differ along one axis alone.
#[derive(Debug)]
pub(super) struct Line {
    over: Over,
    states: Vec<State>,
}

/// A cell of a line.
#[derive(Debug)]
pub(super) struct State {
    /// What it is called on the line: its toolchain, or its flags.
    pub(super) word: String,
    /// The cell.
    pub(super) cell: Cell,
}

impl Line {
    /// The cells that are asked for, from end to end.
    pub(super) fn of(args: &BisectArgs, over: Over, project: &Project) -> Result<Line, Usage> {
        let all = &project.cells.all;
        // How a program is run is no property of a build.
        let plain = all.iter().filter(|cell| cell.axes.options.is_none());
        let first = plain.clone().next();
        let on_line = |cell: &&Cell| match &args.over.cell {
            Some(words) => is_called(cell, over, words),
            None => first.is_some_and(|first| rest(cell, over) == rest(first, over)),
        };
        let states = plain.filter(on_line).map(|cell| State {
            word: word(cell, over),
            cell: cell.clone(),
        });
        let mut states: Vec<State> = states.collect();
        if let Some(two) = apart(&states, over) {
            return Err(Usage(format!(
                "cells of several sources have these words, such as `{}` and `{}`: name the \
                 source in --cell too",
                two[0], two[1]
            )));
        }
        let (from, to) = ends(args, &states)?;
        states.truncate(to + 1);
        states.drain(..from);
        if states.len() < 2 {
            let words = args.over.cell.as_ref();
            let words = words.map_or(String::new(), |words| format!(" with the words `{words}`"));
            let what = what(over);
            return Err(Usage(format!(
                "the project's file has no two cells{words} that differ by their {what}: \
                 `proofmark matrix plan` lists its cells"
            )));
        }
        Ok(Line { over, states })
    }

    pub(super) fn states(&self) -> impl Iterator<Item = &State> {
        self.states.iter()
    }

    /// The names of the cells.
    pub(super) fn cells(&self) -> impl Iterator<Item = &str> {
        self.states.iter().map(|state| state.cell.name.as_str())
    }

    pub(super) fn axis(&self) -> Axis {
        match self.over {
            Over::Toolchains => Axis::Toolchains,
            Over::Flags => Axis::Flags,
        }
    }

    /// What it goes over, for people.
    pub(super) fn said(&self) -> String {
        let cells: Vec<String> = self.cells().map(|name| format!("`{name}`")).collect();
        format!("{}: {}", what(self.over), cells.join(", "))
    }

    /// The command that builds its source.
    pub(super) fn build(&self, project: &Project) -> String {
        let source = self.states.first().map(|state| &state.cell.axes.source);
        let command = |name: &String| project.definitions.build_command(name);
        source.and_then(command).unwrap_or_default()
    }
}

fn what(over: Over) -> &'static str {
    match over {
        Over::Toolchains => "toolchains",
        Over::Flags => "flags",
    }
}

fn word(cell: &Cell, over: Over) -> String {
    match over {
        Over::Toolchains => cell.axes.toolchain.clone(),
        Over::Flags if cell.axes.flags.is_empty() => NO_FLAGS.to_owned(),
        Over::Flags => cell.axes.flags.join(" "),
    }
}

/// All words of a cell but those that vary along the line; the source stands last.
fn rest(cell: &Cell, over: Over) -> Vec<&str> {
    let mut words: Vec<&str> = match over {
        Over::Toolchains => cell.axes.flags.iter().map(String::as_str).collect(),
        Over::Flags => vec![&cell.axes.toolchain],
    };
    words.push(&cell.axes.source);
    words
}

/// Whether these are the other words of a cell; its source may be left out.
pub(in crate::commands::bisect) fn is_called(cell: &Cell, over: Over, asked: &str) -> bool {
    let mut asked: Vec<&str> = asked.split_whitespace().collect();
    asked.sort_unstable();
    let full = rest(cell, over);
    let bare = &full[..full.len() - 1];
    [full.as_slice(), bare].into_iter().any(|words| {
        let mut words = words.to_vec();
        words.sort_unstable();
        words == asked
    })
}

/// Two cells of a line whose other words differ.
fn apart(states: &[State], over: Over) -> Option<[&str; 2]> {
    let first = states.first()?;
    let other = states
        .iter()
        .find(|state| rest(&state.cell, over) != rest(&first.cell, over))?;
    Some([&first.cell.name, &other.cell.name])
}

/// The places of the ends that were named.
fn ends(args: &BisectArgs, states: &[State]) -> Result<(usize, usize), Usage> {
    let place = |name: &str| {
        let found = states.iter().position(|state| {
            state.word == name || (name.is_empty() && state.cell.axes.flags.is_empty())
        });
        found.ok_or_else(|| {
            let known: Vec<String> = states.iter().map(|one| format!("`{}`", one.word)).collect();
            Usage(format!(
                "`{name}` is not on the line; there is {}",
                known.join(", ")
            ))
        })
    };
    let last = states.len().saturating_sub(1);
    let from = args.good.as_deref().map_or(Ok(0), place)?;
    let to = args.bad.as_deref().map_or(Ok(last), place)?;
    if from > to {
        return Err(Usage(format!(
            "`{}` stands behind `{}` in the project's file: give them the other way round",
            states[from].word, states[to].word
        )));
    }
    Ok((from, to))
}
