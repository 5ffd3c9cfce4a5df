//! Builds that are one program: said at once, and not measured.

use proofmark_lab::{Alike, Subject, alike, cannot_differ};
use proofmark_report::equal::{self, Equals, Same};

use crate::arguments::FormatArg;
use crate::console;

/// Answers where all builds are the base; false where there is something to measure. Of those that
/// are among others it is only said.
pub(crate) fn answered(subjects: &[Subject], format: FormatArg) -> anyhow::Result<bool> {
    let Some((base, others)) = subjects.split_first() else {
        return Ok(false);
    };
    let ways: Vec<(&str, Alike)> = others
        .iter()
        .filter_map(|other| Some((other.name.as_str(), alike(base, other)?)))
        .collect();
    let equals: Vec<(&str, Same)> = ways
        .iter()
        .filter_map(|(name, way)| Some((*name, same(*way)?)))
        .collect();
    if equals.len() < others.len() {
        for (new, way) in &ways {
            console::say(&format!("proofmark: {}", said(&base.name, new, *way)));
        }
        return Ok(false);
    }
    show(
        &Equals {
            base: &base.name,
            others: equals,
        },
        format,
    )?;
    Ok(true)
}

/// Whether runs of all builds can only be alike.
pub(crate) fn are_certain(subjects: &[Subject]) -> bool {
    let Some((base, others)) = subjects.split_first() else {
        return false;
    };
    others.iter().all(|other| cannot_differ(base, other))
}

/// How it is known that they are one program, where it is.
fn same(way: Alike) -> Option<Same> {
    match way {
        Alike::Bytes => Some(Same::Bytes),
        Alike::Loaded => Some(Same::Loaded),
        Alike::Trees => Some(Same::Trees),
        Alike::Perhaps => None,
    }
}

fn said(base: &str, new: &str, way: Alike) -> String {
    match same(way) {
        Some(same) => equal::said(base, new, same),
        None => format!(
            "{new} and {base} are the same bytes; only what they load or read while they run, or do by their names, can differ"
        ),
    }
}

fn show(equals: &Equals<'_>, format: FormatArg) -> anyhow::Result<()> {
    match format {
        FormatArg::Text | FormatArg::Markdown | FormatArg::Comment => {
            console::print(&equal::terminal(equals))
        }
        FormatArg::Json => console::print_json(&equal::json(equals)),
        // There is no sample.
        FormatArg::Csv => {
            console::say(equal::terminal(equals).trim_end());
            Ok(())
        }
    }
}
