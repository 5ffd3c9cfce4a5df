//! The names along each axis, each of which has to mean something.

use crate::definition::{Definitions, FlagSet, Problem};

/// The names along each axis.
pub(super) struct AxisNames {
    pub(super) toolchains: Vec<String>,
    pub(super) sources: Vec<String>,
    pub(super) flags: Vec<Vec<String>>,
    pub(super) options: Vec<Option<String>>,
}

impl AxisNames {
    pub(super) fn of(of: &Definitions) -> Result<AxisNames, Problem> {
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
