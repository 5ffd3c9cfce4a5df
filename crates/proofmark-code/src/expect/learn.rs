//! A first file of expectations, written from a good build.

use crate::facts::{Fact, Facts};
use crate::image::{Image, Program};
use crate::pattern::Pattern;

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

/// Writes expectations that this file meets: of the functions that the patterns mean, or else of those that stand out. `name`
/// is what the text calls the file.
///
/// # Errors
/// When a pattern matches nothing, or no pattern is given and nothing stands out.
pub fn learn(program: &Program, patterns: &[Pattern], name: &str) -> Result<String, LearnError> {
    let mut chosen: Vec<(&Image, usize, Facts)> = Vec::new();
    for pattern in patterns {
        let found: Vec<(&Image, usize)> = program
            .images()
            .iter()
            .flat_map(|i| pattern.find(i).into_iter().map(move |f| (i, f)))
            .collect();
        if found.is_empty() {
            return Err(LearnError::NoMatch(pattern.text().to_string()));
        }
        let functions = found
            .into_iter()
            .filter(|(i, f)| !i.functions()[*f].is_piece());
        chosen.extend(functions.map(|(i, f)| (i, f, whole(i, f))));
    }
    if patterns.is_empty() {
        chosen = outstanding(program);
    }
    if chosen.is_empty() {
        return Err(LearnError::Nothing);
    }
    let arch = chosen[0].0.arch();
    let mut text = format!(
        "# What the machine code of this project is relied on to be. 'proofmark expect FILE' checks it.\n# Learnt from {}, built by {}.\nversion = 1\n",
        name.replace(char::is_control, " "),
        built_by(program)
    );
    for (image, index, facts) in &chosen {
        let function = &image.functions()[*index];
        text.push_str(&format!(
            "\n[[expect]]\nfunction = {}\narchitecture = {}\nholds = [\n",
            quoted(&function.symbol()),
            quoted(arch.name())
        ));
        for condition in conditions(facts) {
            text.push_str(&format!("    {},\n", quoted(&condition)));
        }
        text.push_str("]\n");
    }
    Ok(text)
}

/// A function with its pieces.
fn whole(image: &Image, index: usize) -> Facts {
    let mut facts = Facts::of(image, index);
    for (i, function) in image.functions().iter().enumerate() {
        if function.is_piece() && function.parent() == Some(index) {
            facts.join(&Facts::of(image, i));
        }
    }
    facts
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

/// Name and version: `GCC: (Debian 12.2.0-14) 12.2.0` → `GCC 12.2.0`; clang's brackets, behind the version, are left out.
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

fn outstanding(program: &Program) -> Vec<(&Image, usize, Facts)> {
    let mut found = Vec::new();
    for image in program.images() {
        for (index, facts) in Facts::all(image).into_iter().enumerate() {
            let stands_out = facts.get(Fact::IndirectJumps) >= JUMPS
                || facts.get(Fact::ComputedGotos) > 0
                || facts.get(Fact::VectorBits) >= 256;
            if stands_out
                && image.functions()[index].is_named()
                && !image.functions()[index].is_piece()
            {
                found.push((image, index));
            }
        }
    }
    let mut found: Vec<(&Image, usize, Facts)> = found
        .into_iter()
        .map(|(i, f)| (i, f, whole(i, f)))
        .collect();
    found.sort_by_key(|(_, _, f)| {
        std::cmp::Reverse((
            f.get(Fact::IndirectJumps),
            f.get(Fact::VectorBits),
            f.get(Fact::Bytes),
        ))
    });
    found.truncate(MOST);
    found
}

/// Conditions that hold, with room for small changes where a number is no matter of principle.
fn conditions(facts: &Facts) -> Vec<String> {
    let mut conditions = vec!["exists".to_string()];
    for fact in [
        Fact::IndirectJumps,
        Fact::ComputedGotos,
        Fact::IndirectTailCalls,
    ] {
        if facts.get(fact) > 0 {
            conditions.push(format!("{fact} >= {}", facts.get(fact)));
        }
    }
    if facts.get(Fact::VectorBits) >= 256 {
        conditions.push(format!("vector_bits >= {}", facts.get(Fact::VectorBits)));
    }
    for fact in [Fact::Atomics, Fact::Divisions, Fact::IndirectCalls] {
        if facts.get(fact) == 0 {
            conditions.push(format!("{fact} == 0"));
        }
    }
    for fact in [Fact::StackLoads, Fact::StackStores, Fact::Bytes] {
        let now = facts.get(fact);
        conditions.push(format!("{fact} <= {}", now + now / 10));
    }
    conditions
}
