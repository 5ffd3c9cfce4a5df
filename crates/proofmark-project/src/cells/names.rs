//! The words that cells are called by: each means one thing, wherever it is written, and what names
//! a toolchain names one that the matrix has.

use super::axes::{AxisNames, fits};
use crate::definition::{Definitions, Problem, ToolchainDefinition};

/// What no word of a cell's name may hold, and why.
const TAKEN: [(char, &str); 3] = [
    ('*', "stands for any words in `--cell`"),
    ('/', "makes a path of a name in `compare`"),
    ('=', "ends a label in `compare`"),
];

/// Every name is one word that stands for one thing, and flag sets are for toolchains that there
/// are.
pub(super) fn check(of: &Definitions) -> Result<(), Problem> {
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
            check_word(&at, name, kind)?;
            // A word that names two things could not be told apart in a cell's name.
            if let Some((_, other)) = seen.iter().find(|(known, _)| known == name) {
                let what = format!("`{name}` names {other} and {kind}");
                let next = "cells are named by these words: give one of them another name";
                return Err(Problem::new(&at, what).next(next));
            }
            seen.push((name, kind));
        }
    }
    let toolchains = toolchains(of);
    for (name, set) in &of.flags {
        for (key, names) in [("only", &set.only), ("except", &set.except)] {
            // A name that only implies a compiler is compared as it is written: it has to be the
            // one by which the matrix has it.
            if let Some(stranger) = names
                .iter()
                .find(|name| !toolchains.contains(&name.as_str()))
            {
                let what = format!("there is no toolchain `{stranger}`");
                let problem = Problem::new(&["flags", name, key], what);
                return Err(problem.among(stranger, toolchains));
            }
        }
    }
    Ok(())
}

fn check_word(at: &[&str], name: &str, kind: &str) -> Result<(), Problem> {
    if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c.is_control()) {
        let what = format!("`{name}` is no name for {kind}: it has to be one word");
        return Err(Problem::new(at, what));
    }
    let why = if name.starts_with('-') {
        Some("what begins with `-` is an option in `--cell`".to_owned())
    } else {
        let taken = TAKEN.iter().find(|(letter, _)| name.contains(*letter));
        taken.map(|(letter, why)| format!("`{letter}` {why}"))
    };
    match why {
        Some(why) => {
            let what = format!("`{name}` is no name for {kind}");
            Err(Problem::new(at, what).next(format!("{why}: give it another name")))
        }
        None => Ok(()),
    }
}

/// Names of the toolchains that cells can have: those with a table, those that the matrix lists,
/// and those that `include` adds by a name that says which compiler it is.
fn toolchains(of: &Definitions) -> Vec<&str> {
    let mut names: Vec<&str> = of
        .toolchain_names()
        .into_iter()
        .map(String::as_str)
        .collect();
    let included = of
        .matrix
        .include
        .iter()
        .flat_map(|entry| entry.split_whitespace());
    for word in included {
        if ToolchainDefinition::implied(word).is_some() && !names.contains(&word) {
            names.push(word);
        }
    }
    names
}

/// An entry of `matrix.flags` is for a toolchain of the matrix: one that makes no cell was meant
/// otherwise.
pub(super) fn check_flags(of: &Definitions, axes: &AxisNames) -> Result<(), Problem> {
    let none = |flags: &&Vec<String>| {
        let mut toolchains = axes.toolchains.iter();
        !toolchains.any(|toolchain| fits(of, toolchain, flags))
    };
    let mut entries = axes.flags.iter().enumerate();
    match entries.find(|(_, flags)| none(flags)) {
        Some((at, flags)) => {
            let what = format!(
                "flag set `{}` is for no toolchain of the matrix, and so in no cell",
                flags.join(" ")
            );
            let next = format!("`only` or `except` leaves out {}", quoted(&axes.toolchains));
            Err(Problem::new(&["matrix", "flags", &at.to_string()], what).next(next))
        }
        None => Ok(()),
    }
}

fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}
