//! Cells chosen by words.

use super::axes::{AxisNames, fits};
use super::cell::{Axes, Cell};
use super::named::{cell_named, sorted};
use crate::definition::{Definitions, Problem};

/// The cell that an entry of `include` adds.
pub(super) fn included(
    of: &Definitions,
    axes: &AxisNames,
    entry: &str,
    at: usize,
) -> Result<Axes, Problem> {
    let wrong = |what: String| Problem::new(&["matrix", "include", &at.to_string()], what);
    let (mut toolchain, mut source, mut flags, mut options) = (None, None, Vec::new(), None);
    for word in entry.split_whitespace() {
        let slot = if of.sources.contains_key(word) {
            &mut source
        } else if of.options.contains_key(word) {
            &mut options
        } else if of.flags.contains_key(word) {
            flags.push(word.to_owned());
            continue;
        } else if of.toolchain(word).is_some() {
            &mut toolchain
        } else {
            let known = of
                .toolchain_names()
                .into_iter()
                .chain(of.sources.keys())
                .chain(of.flags.keys())
                .chain(of.options.keys());
            return Err(
                wrong(format!("nothing is called `{word}`")).among(word, known.map(String::as_str))
            );
        };
        if let Some(other) = slot.replace(word.to_owned()) {
            return Err(wrong(format!(
                "`{other}` and `{word}` cannot be in one cell"
            )));
        }
    }
    let only = |names: &[String]| match names {
        [one] => Some(one.clone()),
        _ => None,
    };
    let toolchain = toolchain
        .or_else(|| only(&axes.toolchains))
        .ok_or_else(|| wrong(format!("`{entry}` names no toolchain")))?;
    let source = source
        .or_else(|| only(&axes.sources))
        .ok_or_else(|| wrong(format!("`{entry}` names no source, and there are several")))?;
    if let Some(set) = flags
        .iter()
        .find(|set| !fits(of, &toolchain, std::slice::from_ref(set)))
    {
        let what = format!("flag set `{set}` is not for toolchain `{toolchain}`");
        return Err(wrong(what).next(format!("`only` or `except` of [flags.{set}] says so")));
    }
    Ok(Axes {
        toolchain,
        source,
        flags,
        options,
    })
}

/// The cell that an entry of `baselines` means: the one with these words; the source may be left
/// out where only one has the others.
pub(super) fn baseline(cells: &[Cell], entry: &str, at: usize) -> Result<usize, Problem> {
    let words = sorted(entry);
    let names: Vec<&str> = cells.iter().map(|cell| cell.name.as_str()).collect();
    match cell_named(&names, entry) {
        Ok(index) => return Ok(index),
        Err(problem) if names.iter().any(|name| sorted(name) == words) => {
            let at = ["matrix", "baselines", &at.to_string()].map(str::to_owned);
            return Err(Problem {
                at: at.into(),
                ..problem
            });
        }
        Err(_) => {}
    }
    let but_for_source = |cell: &Cell| {
        let mut has: Vec<&str> = cell.axes.words().collect();
        let source = cell.axes.source.as_str();
        let full = words.contains(&source);
        has.retain(|word| full || *word != source);
        has.sort_unstable();
        has == words
    };
    let found: Vec<usize> = (0..cells.len())
        .filter(|index| but_for_source(&cells[*index]))
        .collect();
    match found.as_slice() {
        [one] => Ok(*one),
        [] => {
            let what = format!("the baseline `{entry}` is not in the matrix");
            let known = cells.iter().map(|cell| cell.name.as_str());
            Err(Problem::new(&["matrix", "baselines", &at.to_string()], what).among(entry, known))
        }
        several => {
            let names: Vec<String> = several
                .iter()
                .map(|index| format!("`{}`", cells[*index].name))
                .collect();
            let what = format!("the baseline `{entry}` could be {}", names.join(" or "));
            Err(
                Problem::new(&["matrix", "baselines", &at.to_string()], what)
                    .next("write one of these names"),
            )
        }
    }
}
