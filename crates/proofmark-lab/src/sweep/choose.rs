//! From patterns to the functions of an image.

use std::path::Path;

use object::{Object as _, ObjectSymbol as _};
use proofmark_code::{Crossings, Image, Pattern, Program, near};
use proofmark_evidence::record::SweptFunction;
use proofmark_hint::quoted;
pub(super) use proofmark_layout::Chosen;

use super::apart::{Apart, Told};
use crate::LabError;

/// How many functions a message names.
const NAMED: usize = 5;

/// A function that was chosen.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) chosen: Chosen,
    pub(crate) bytes: u64,
    /// What of it crosses lines.
    pub(crate) crossings: Crossings,
    /// Symbols of what the compiler made of it as well, and which was not chosen.
    pub(crate) copies: Vec<String>,
}

impl Found {
    /// What the evidence says of it.
    pub(crate) fn record(&self) -> SweptFunction {
        SweptFunction {
            name: self.chosen.name.clone(),
            symbol: self.chosen.symbol.clone(),
            bytes: self.bytes,
            loops: self.crossings.loops() as u64,
            heads: heads(&self.crossings),
            copies: self.copies.clone(),
        }
    }
}

/// Offset and length of the first instruction of each loop.
pub(crate) fn heads(crossings: &Crossings) -> Vec<[u64; 2]> {
    let heads = crossings.loop_heads().iter();
    heads.map(|(offset, length)| [*offset, *length]).collect()
}

/// The functions of an image that these patterns mean, in the order of the patterns. An exact name
/// means one function, be it by its file or address where it shares its name; a pattern may mean
/// several, which move together.
///
/// # Errors
///
/// When a pattern means no function, or a name means several.
pub(crate) fn functions(path: &Path, patterns: &[String]) -> Result<Vec<Found>, LabError> {
    let program = Program::open(path).map_err(|error| {
        LabError::Refused(format!("cannot read the functions of the image: {error}"))
    })?;
    let Some(image) = program.images().first() else {
        return Err(LabError::Refused("the image has no functions".to_owned()));
    };
    let apart = Apart::of(image);
    let mut found: Vec<usize> = Vec::new();
    let mut copies: Vec<usize> = Vec::new();
    for text in patterns {
        let (indices, others) = asked(path, &apart, text)?;
        copies.extend(others);
        for index in indices {
            if !found.contains(&index) {
                found.push(index);
            }
        }
    }
    copies.retain(|index| !found.contains(index));
    Ok(found
        .iter()
        .map(|&index| function(&apart, index, &copies))
        .collect())
}

/// The functions that were asked for by one pattern, and their copies.
fn asked(path: &Path, apart: &Apart<'_>, text: &str) -> Result<(Vec<usize>, Vec<usize>), LabError> {
    let image = apart.image();
    let pattern = Pattern::parse(text).map_err(|error| LabError::Refused(error.to_string()))?;
    let (indices, others) = meant(image, &pattern);
    match indices.as_slice() {
        [] => {
            let told = Told::read(text);
            let one = told.map(|told| (told.name(), with_file_or_address(apart, &told)));
            match one {
                Some((_, indices)) if indices.len() == 1 => Ok((indices, Vec::new())),
                Some((name, indices)) if indices.len() > 1 => Err(several(apart, name, &indices)),
                _ if is_imported(path, text) => Err(imported(text)),
                _ => Err(none(image, &pattern)),
            }
        }
        [_, _, ..] if pattern.is_exact() => Err(several(apart, text, &indices)),
        _ => Ok((indices, others)),
    }
}

/// The functions of a name that are told from others by a file or an address.
fn with_file_or_address(apart: &Apart<'_>, told: &Told<'_>) -> Vec<usize> {
    let Ok(pattern) = Pattern::parse(told.name()) else {
        return Vec::new();
    };
    let mut all = meant(apart.image(), &pattern).0;
    all.retain(|&index| apart.is(index, told));
    all
}

/// The functions that a pattern means, pieces apart. A name that is a symbol as it stands means
/// that one; what else it would match are its copies, which come second.
fn meant(image: &Image, pattern: &Pattern) -> (Vec<usize>, Vec<usize>) {
    let functions = image.functions();
    let mut all = pattern.find(image);
    all.retain(|&index| !functions[index].is_piece());
    let is_it = |&index: &usize| {
        let function = &functions[index];
        let is_named = || function.aliases().any(|alias| alias == pattern.text());
        pattern.is_exact() && (function.symbol() == pattern.text() || is_named())
    };
    let (exact, others): (Vec<usize>, Vec<usize>) = all.iter().copied().partition(is_it);
    if exact.is_empty() {
        (all, Vec::new())
    } else {
        (exact, others)
    }
}

fn function(apart: &Apart<'_>, index: usize, copies: &[usize]) -> Found {
    let functions = apart.image().functions();
    let function = &functions[index];
    let copies = copies.iter().map(|&copy| functions[copy].symbol());
    let own = Pattern::parse(&function.symbol()).ok();
    let is_own = |copy: &String| own.as_ref().is_some_and(|own| own.matches_symbol(copy));
    Found {
        chosen: Chosen {
            name: apart.name(index),
            symbol: function.symbol(),
            address: function.address().get(),
        },
        bytes: function.size(),
        crossings: Crossings::of(apart.image(), index),
        copies: copies.filter(is_own).collect(),
    }
}

/// Whether a shared library brings a function of this symbol.
fn is_imported(image: &Path, text: &str) -> bool {
    let Ok(data) = std::fs::read(image) else {
        return false;
    };
    object::File::parse(data.as_slice()).is_ok_and(|file| {
        let mut wanted = file
            .dynamic_symbols()
            .filter(object::ObjectSymbol::is_undefined);
        wanted.any(|one| one.name() == Ok(text))
    })
}

fn imported(text: &str) -> LabError {
    LabError::Refused(format!(
        "{text} is no function of the image: a shared library brings it when the program starts\n  \
         next: capture the build of that library, and name it with --image"
    ))
}

fn none(image: &Image, pattern: &Pattern) -> LabError {
    let text = pattern.text();
    let names = near(image, text, NAMED);
    let near = if names.is_empty() {
        String::new()
    } else {
        format!("; there is {}", names.join(", "))
    };
    if !pattern.is_exact() {
        return LabError::Refused(format!(
            "no function of the image matches {text}{near}\n  next: another pattern; `proofmark \
             inspect BUILD` lists the functions"
        ));
    }
    LabError::Refused(format!(
        "the image has no function {text}{near}\n  next: where the source has it, the compiler put \
         its code into every caller (inlined it): name the caller, or keep it apart with \
         __attribute__((noinline)) or #[inline(never)]; `proofmark inspect BUILD` lists the \
         functions"
    ))
}

fn several(apart: &Apart<'_>, text: &str, indices: &[usize]) -> LabError {
    let functions = apart.image().functions();
    let first = functions[indices[0]].symbol();
    let of_one_symbol = indices
        .iter()
        .all(|&index| functions[index].symbol() == first);
    let shown: Vec<String> = indices
        .iter()
        .take(NAMED)
        .map(|&index| {
            let function = &functions[index];
            if of_one_symbol {
                apart.name(index)
            } else {
                format!("{} at {}", function.symbol(), function.address())
            }
        })
        .collect();
    let more = match indices.len() - shown.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let one = if of_one_symbol {
        format!("name one, --function {}", quoted(&shown[0]))
    } else {
        "name one by its symbol".to_owned()
    };
    LabError::Refused(format!(
        "{} functions are called {text}: {}{more}\n  next: {one}; a pattern such as '{text}*' moves \
         all that it means together",
        indices.len(),
        shown.join(", ")
    ))
}
