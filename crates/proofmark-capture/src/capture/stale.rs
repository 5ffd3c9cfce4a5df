//! Objects that an earlier capture made and that this build did not make again: how many, and what
//! was different then.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};

use crate::captured::{Capture, CompiledObject, Seen, Stale};
use crate::variables::Variables;

use super::request::shown;

/// Variables that builds commonly read and that decide what compilers make. Of these an earlier
/// capture is compared with a later one.
const VARIABLES: [&str; 26] = [
    "AR",
    "AS",
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "CC",
    "CCC_OVERRIDE_OPTIONS",
    "CFLAGS",
    "COMPILER_PATH",
    "CPATH",
    "CPLUS_INCLUDE_PATH",
    "CPPFLAGS",
    "CXX",
    "CXXFLAGS",
    "C_INCLUDE_PATH",
    "FC",
    "FFLAGS",
    "GCC_EXEC_PREFIX",
    "LD",
    "LDFLAGS",
    "LIBRARY_PATH",
    "LIBS",
    "MAKEFLAGS",
    "PKG_CONFIG_PATH",
    "RUSTC",
    "RUSTFLAGS",
    "RUSTUP_TOOLCHAIN",
];

/// Those of them that are set.
pub(super) fn variables(of: &Variables<'_>) -> Vec<(String, OsString)> {
    let set = VARIABLES
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), of.get(name)?)));
    set.collect()
}

/// What of a link's objects is left from which earlier capture.
pub(super) fn among(
    objects: &[CompiledObject],
    earlier: &[Capture],
    command: &[OsString],
    variables: &[(String, OsString)],
) -> Vec<Stale> {
    let mut names: Vec<&str> = objects.iter().filter_map(from).collect();
    names.sort_unstable();
    names.dedup();
    let of = |name: &str| {
        let old: Vec<&CompiledObject> = objects
            .iter()
            .filter(|object| from(object) == Some(name))
            .collect();
        let new: Vec<&CompiledObject> = objects
            .iter()
            .filter(|object| object.seen == Seen::Compiled)
            .collect();
        let mut differs = Vec::new();
        if let Some(capture) = earlier.iter().find(|capture| capture.name == name) {
            differs.extend(different_command(capture, command));
            differs.extend(different_variables(&capture.environment, variables));
        }
        differs.extend(different_options(&old, &new));
        Stale {
            capture: name.to_owned(),
            objects: old.len(),
            of: objects.len(),
            differs,
        }
    };
    names.into_iter().map(of).collect()
}

fn from(object: &CompiledObject) -> Option<&str> {
    match &object.seen {
        Seen::Earlier { capture } => Some(capture),
        _ => None,
    }
}

fn different_command(capture: &Capture, command: &[OsString]) -> Option<String> {
    (capture.command != command).then(|| {
        format!(
            "they were built by `{}`, and this build is `{}`",
            shown(&capture.command),
            shown(command)
        )
    })
}

fn different_variables(old: &[(String, OsString)], new: &[(String, OsString)]) -> Vec<String> {
    let value = |of: &[(String, OsString)], name: &str| {
        let found = of.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.clone()).unwrap_or_default()
    };
    let names: BTreeSet<&str> = old.iter().chain(new).map(|(name, _)| &**name).collect();
    let changed = names
        .into_iter()
        .filter(|name| value(old, name) != value(new, name));
    changed
        .map(|name| {
            format!(
                "{name} was `{}` then, and is `{}` now",
                value(old, name).display(),
                value(new, name).display()
            )
        })
        .collect()
}

/// Options of code generation that all of the old objects have, against those that all of the new
/// ones have.
fn different_options(old: &[&CompiledObject], new: &[&CompiledObject]) -> Option<String> {
    let new: Vec<&CompiledObject> = (new.iter().copied())
        .filter(|object| {
            old.iter()
                .any(|other| other.compiler.is_some() && other.compiler == object.compiler)
        })
        .collect();
    let (before, now) = (common(old)?, common(&new)?);
    let only = |these: &BTreeSet<String>, those: &BTreeSet<String>| {
        let words: Vec<&str> = these.difference(those).map(String::as_str).collect();
        if words.is_empty() {
            "without".to_owned()
        } else {
            words.join(" ")
        }
    };
    (before != now).then(|| {
        format!(
            "they were compiled with other options than the rest: `{}` against `{}`",
            only(&before, &now),
            only(&now, &before)
        )
    })
}

fn common(objects: &[&CompiledObject]) -> Option<BTreeSet<String>> {
    let sets = objects.iter().map(|object| generation(&object.flags));
    sets.reduce(|all, one| all.intersection(&one).cloned().collect())
}

/// The options that decide about code: `-O2`, `-fPIC`, `-march=native`; of rustc `opt-level=3` and
/// the like.
fn generation(flags: &[OsString]) -> BTreeSet<String> {
    const RUST: [&str; 5] = [
        "opt-level=",
        "target-cpu=",
        "target-feature=",
        "lto",
        "panic=",
    ];
    let of_rust = |word: &str| RUST.iter().any(|start| word.starts_with(start));
    let mut found = BTreeSet::new();
    let words: Vec<&str> = flags
        .iter()
        .filter_map(|flag| OsStr::to_str(flag))
        .collect();
    for (at, word) in words.iter().enumerate() {
        let after_c = at > 0 && words.get(at - 1).is_some_and(|before| *before == "-C");
        let chosen = ["-O", "-f", "-m"]
            .iter()
            .any(|start| word.starts_with(start))
            || word.strip_prefix("-C").is_some_and(of_rust)
            || (after_c && of_rust(word));
        if chosen {
            found.insert((*word).to_owned());
        }
    }
    found
}
