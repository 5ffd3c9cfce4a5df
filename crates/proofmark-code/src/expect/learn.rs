//! A first file of expectations, written from a good build.

use std::collections::HashSet;

use super::whole::{Subject, all_pieces, wholes};
use crate::facts::{Fact, Facts};
use crate::image::Function;
use crate::pattern::Pattern;
use crate::program::Program;

/// So many functions are chosen when none is named.
const MOST: usize = 20;
/// A function with so many indirect jumps is an interpreter loop or a large `switch`.
const JUMPS: u64 = 8;

/// Why nothing could be learnt.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum LearnError {
    /// A pattern matches no function.
    #[error("no function matches {0}")]
    NoMatch(String),
    /// Nothing in the file stands out.
    #[error(
        "no function stands out by indirect jumps, tail calls or wide vectors; name the ones that matter with --function"
    )]
    Nothing,
}

/// Writes expectations that this file meets: of the functions that the patterns mean, or else of
/// those that stand out. `name` is what the text calls the file.
///
/// # Errors
/// When a pattern matches nothing, or no pattern is given and nothing stands out.
pub fn learn(program: &Program, patterns: &[Pattern], name: &str) -> Result<String, LearnError> {
    let subjects: Vec<Subject<'_>> = program.images().iter().map(Subject::new).collect();
    let chosen = if patterns.is_empty() {
        outstanding(program)
    } else {
        named(&subjects, patterns)?
    };
    let mut text = format!(
        "# What the machine code of this project is relied on to be. `proofmark expect FILE` checks it.\n# Learnt from {}, built by {}.\nversion = 1\n",
        name.replace(char::is_control, " "),
        built_by(program)
    );
    let arch = program.images().first().ok_or(LearnError::Nothing)?.arch();
    let mut known = HashSet::new();
    let symbols = chosen.into_iter().filter(|s| known.insert(s.clone()));
    let mut learnt = false;
    for symbol in symbols {
        let all = meant(&subjects, &symbol);
        if all.is_empty() {
            continue;
        }
        learnt = true;
        text.push_str(&format!(
            "\n[[expect]]\nfunction = {}\narchitecture = {}\nholds = [\n",
            quoted(&symbol),
            quoted(arch.name())
        ));
        for condition in conditions(&all) {
            text.push_str(&format!("    {},\n", quoted(&condition)));
        }
        text.push_str("]\n");
    }
    if learnt {
        Ok(text)
    } else {
        Err(LearnError::Nothing)
    }
}

/// The symbols of the functions that the patterns mean.
fn named(subjects: &[Subject<'_>], patterns: &[Pattern]) -> Result<Vec<String>, LearnError> {
    let mut symbols = Vec::new();
    for pattern in patterns {
        let before = symbols.len();
        for Subject { image, .. } in subjects {
            let found = pattern.find(image).into_iter();
            let found = found.map(|i| &image.functions()[i]);
            symbols.extend(found.filter(|f| !f.is_piece()).map(Function::symbol));
        }
        if symbols.len() == before {
            return Err(LearnError::NoMatch(pattern.text().to_string()));
        }
    }
    Ok(symbols)
}

/// The facts of every function that a file of expectations means by a symbol: those of the same
/// name in other sources, its clones and other archive members' have to meet the conditions as
/// well. None where the symbol cannot be written as a pattern that means it.
fn meant(subjects: &[Subject<'_>], symbol: &str) -> Vec<Facts> {
    let pattern = Pattern::parse(symbol).ok();
    let wholes = pattern.map(|pattern| wholes(subjects, &pattern, true));
    let wholes = wholes.unwrap_or_default().into_iter();
    wholes.map(|whole| whole.facts).collect()
}

fn built_by(program: &Program) -> String {
    let producers: Vec<String> = program.images()[0]
        .producers()
        .iter()
        .map(|p| short(p))
        .collect();
    if producers.is_empty() {
        "a compiler that left no name".to_string()
    } else {
        producers.join(", ").replace(char::is_control, " ")
    }
}

/// Name and version: `GCC: (Debian 12.2.0-14) 12.2.0` → `GCC 12.2.0`; clang's brackets, behind the
/// version, are left out.
pub(super) fn short(producer: &str) -> String {
    if let Some((_, version)) = producer
        .strip_prefix("GCC: (")
        .and_then(|rest| rest.rsplit_once(") "))
    {
        return format!("GCC {version}");
    }
    let name = producer.split('(').next().unwrap_or(producer);
    name.trim().to_string()
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_string()).to_string()
}

/// The symbols of the functions that stand out.
fn outstanding(program: &Program) -> Vec<String> {
    let mut found = Vec::new();
    for image in program.images() {
        let (all, pieces) = (Facts::all(image), all_pieces(image));
        for (index, facts) in all.iter().enumerate() {
            let stands_out = facts.get(Fact::IndirectJumps) >= JUMPS
                || facts.get(Fact::ComputedGotos) > 0
                || facts.get(Fact::VectorBits) >= 256;
            let function = &image.functions()[index];
            if stands_out && function.is_named() && !function.is_piece() {
                let mut whole = facts.clone();
                for piece in pieces.get(&index).into_iter().flatten() {
                    whole.join(&all[*piece]);
                }
                found.push((function.symbol(), whole));
            }
        }
    }
    found.sort_by_key(|(_, f)| {
        std::cmp::Reverse((
            f.get(Fact::IndirectJumps),
            f.get(Fact::VectorBits),
            f.get(Fact::Bytes),
        ))
    });
    found.truncate(MOST);
    found.into_iter().map(|(symbol, _)| symbol).collect()
}

/// Conditions that hold for each of several, with room for small changes where a number is no
/// matter of principle.
fn conditions(all: &[Facts]) -> Vec<String> {
    let each = |fact: Fact| all.iter().map(move |facts| facts.get(fact));
    let least = |fact| each(fact).min().unwrap_or(0);
    let most = |fact| each(fact).max().unwrap_or(0);
    let mut conditions = vec!["exists".to_string()];
    for fact in [
        Fact::IndirectJumps,
        Fact::ComputedGotos,
        Fact::IndirectTailCalls,
    ] {
        if least(fact) > 0 {
            conditions.push(format!("{fact} >= {}", least(fact)));
        }
    }
    if least(Fact::VectorBits) >= 256 {
        conditions.push(format!("vector_bits >= {}", least(Fact::VectorBits)));
    }
    for fact in [Fact::Atomics, Fact::Divisions, Fact::IndirectCalls] {
        if most(fact) == 0 {
            conditions.push(format!("{fact} == 0"));
        }
    }
    for fact in [Fact::StackLoads, Fact::StackStores, Fact::Bytes] {
        conditions.push(format!("{fact} <= {}", most(fact) + most(fact) / 10));
    }
    conditions
}
