//! Sections that a linker script names, that labels of several objects enclose, or that run on into
//! one another: where they stand has a meaning, so they are not moved, renamed or enlarged.

use std::collections::{HashMap, HashSet};

use super::falls::joined;
use super::places::ENDS;
use super::within::labelled;
use crate::LayoutError;
use crate::elf::block::Block;
use crate::elf::image::Linked;
use crate::elf::relocatable::Section;
use crate::link::sections::scripts;
use crate::plan::DATA;
use crate::recipe::Recipe;
use crate::units::Units;

/// What the linkers' own scripts, from which others are made, name beside each block and its parts:
/// up to the first wildcard.
const USUAL: [&str; 20] = [
    ".text.unlikely",
    ".text.unlikely.",
    ".text.exit",
    ".text.exit.",
    ".text.startup",
    ".text.startup.",
    ".text.hot",
    ".text.hot.",
    ".text.sorted.",
    ".text.unknown",
    ".text.split",
    ".rodata.cst",
    ".rodata.str",
    ".data.rel.ro",
    ".data.rel.ro.",
    ".data.rel.ro.local",
    ".data.rel.ro.local.",
    ".data.rel",
    ".data.rel.",
    ".data.rel.local",
];

/// A pattern of a script, up to its first wildcard.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Pattern {
    text: String,
    whole: bool,
}

impl Pattern {
    fn matches(&self, name: &str) -> bool {
        if self.whole {
            name == self.text
        } else {
            name.starts_with(&self.text)
        }
    }
}

/// What stays as it is.
#[derive(Clone, Default)]
pub(crate) struct Held {
    /// Units that are neither moved nor enlarged.
    pub(crate) units: HashSet<u32>,
    /// Of those, pairs of which the first goes on into the second.
    pub(crate) joined: Vec<(u32, u32)>,
}

/// The units that a script names, or puts elsewhere than where a linker does by itself, those among
/// labels, and those that run on into one another.
pub(crate) fn held(recipe: &Recipe, units: &Units, linked: &Linked) -> Result<Held, LayoutError> {
    let joined = joined(units, linked)?;
    let mut held = by_script(recipe, units, linked);
    held.extend(among_labels(units, linked));
    for of_one_object in labelled(units)? {
        held.extend(code_among(&of_one_object, units, linked));
    }
    held.extend(joined.iter().flat_map(|(unit, next)| [*unit, *next]));
    Ok(Held {
        units: held,
        joined,
    })
}

fn by_script(recipe: &Recipe, units: &Units, linked: &Linked) -> HashSet<u32> {
    let texts: Vec<Vec<u8>> = scripts(recipe).collect();
    if texts.is_empty() {
        return HashSet::new();
    }
    let patterns: HashSet<Pattern> = texts.iter().flat_map(|text| patterns(text)).collect();
    let named = |section: &Section| {
        patterns
            .iter()
            .any(|pattern| pattern.matches(&section.name))
    };
    let elsewhere = |number: u32, section: &Section| {
        let at = linked
            .handles
            .get(&number)
            .filter(|_| !section.block.is_thread_local());
        let span = at.and_then(|at| linked.section_at(*at));
        span.is_some_and(|span| span.name != section.block.section_name())
    };
    let count = u32::try_from(units.count()).unwrap_or(u32::MAX);
    (0..count)
        .filter(|number| {
            let section = units.unit(*number).0;
            named(section) || elsewhere(*number, section)
        })
        .collect()
}

/// The units between labels in one section of the image. Whoever sets a label in one object and
/// another one in the next walks from one to the other, for all that can be known: what stands
/// between them stays as it is. Before a label with which something ends, that is all of the
/// section, unless the name says of which label it is the end: `code_end` of `code_start`.
fn among_labels(units: &Units, linked: &Linked) -> HashSet<u32> {
    let mut ends: HashMap<&str, (u64, u64)> = HashMap::new();
    for (name, at) in &linked.untyped {
        if !units.labels.contains(name) || ENDS.contains(&name.as_slice()) {
            continue;
        }
        // The end of a section belongs to it, even where another one begins.
        let mut spans = linked.spans.iter();
        let ends_there = spans.find(|span| span.address + span.size == *at);
        for of in ends_there.into_iter().chain(linked.section_at(*at)) {
            let known = ends.entry(&of.name).or_insert((*at, *at));
            let begins = |begin: &Vec<u8>| {
                let begin_at = linked.untyped.get(begin);
                units.labels.contains(begin)
                    && begin_at.is_some_and(|begin_at| (of.address..=*at).contains(begin_at))
            };
            let from = if units.ends.contains(name) && !beginnings(name).iter().any(begins) {
                of.address
            } else {
                *at
            };
            *known = (known.0.min(from), known.1.max(*at));
        }
    }
    let between = |(unit, at): (&u32, &u64)| {
        let (section, _) = units.unit(*unit);
        // Code is moved: what holds the labels themselves stays too.
        let inside = |(from, to): &(u64, u64)| match section.block {
            Block::Text => from < to && at <= to && at + section.size >= *from,
            _ => (from..to).contains(&at),
        };
        (ends.values().any(inside) && !section.block.is_thread_local()).then_some(*unit)
    };
    linked.handles.iter().filter_map(between).collect()
}

/// Words for the end of something, each with words for its beginning.
const PAIRS: [(&str, &[&str]); 9] = [
    ("end", &["start", "begin"]),
    ("End", &["Start", "Begin"]),
    ("END", &["START", "BEGIN"]),
    ("stop", &["start", "begin"]),
    ("Stop", &["Start", "Begin"]),
    ("STOP", &["START", "BEGIN"]),
    ("last", &["first"]),
    ("Last", &["First"]),
    ("LAST", &["FIRST"]),
];

/// What the label would be called with which something begins that ends with this one: its name
/// with one word in place of another.
fn beginnings(end: &[u8]) -> Vec<Vec<u8>> {
    let Ok(end) = std::str::from_utf8(end) else {
        return Vec::new();
    };
    let pairs = PAIRS
        .iter()
        .filter_map(|(word, begins)| Some((end.rsplit_once(word)?, begins)));
    pairs
        .flat_map(|((before, behind), begins)| {
            let names = begins.iter();
            names.map(move |begin| format!("{before}{begin}{behind}").into_bytes())
        })
        .collect()
}

/// The units of code from the first to the last of these in the image.
fn code_among(ends: &[u32], units: &Units, linked: &Linked) -> Vec<u32> {
    let places = || ends.iter().filter_map(|unit| linked.handles.get(unit));
    let (Some(first), Some(last)) = (places().min(), places().max()) else {
        return Vec::new();
    };
    let inside = |(unit, at): (&u32, &u64)| {
        let code = units.unit(*unit).0.block == Block::Text;
        (code && (first..=last).contains(&at) && first < last).then_some(*unit)
    };
    linked.handles.iter().filter_map(inside).collect()
}

/// The words of a script that may name sections of a block, and are not the usual ones. Comments
/// count too: what is held without need does no harm.
fn patterns(text: &[u8]) -> Vec<Pattern> {
    let delimiter = |byte: &u8| byte.is_ascii_whitespace() || b"(){},;:\"'".contains(byte);
    let words = text
        .split(delimiter)
        .filter_map(|word| std::str::from_utf8(word).ok());
    let mut found = Vec::new();
    for word in words {
        let end = word.find(['*', '?', '[']);
        let literal = &word[..end.unwrap_or(word.len())];
        let block = std::iter::once(Block::Text)
            .chain(DATA)
            .map(Block::section_name)
            .find(|name| {
                literal
                    .strip_prefix(name)
                    .is_some_and(|rest| rest.len() > 1 && rest.starts_with('.'))
            });
        if block.is_some() && !USUAL.contains(&literal) {
            found.push(Pattern {
                text: literal.to_string(),
                whole: end.is_none(),
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_script_singles_out_is_a_pattern() {
        let text = b".text : { *(.text.unlikely .text.*_unlikely .text.unlikely.*) *(SORT(.text.sorted.*))
            hot_begin = .; *(.text.fast .text.fast.*) hot_end = .; *(.text .stub .text.* .gnu.linkonce.t.*) }
            .rodata : { *(.rodata .rodata.*) KEEP(*(SORT(.rodata.cmds.*))) } .data.rel.ro : { *(.data.rel.ro.local* .data.rel.ro .data.rel.ro.*) }";
        let found = patterns(text);
        let shown: Vec<_> = found.iter().map(|p| (p.text.as_str(), p.whole)).collect();
        assert_eq!(
            shown,
            [
                (".text.fast", true),
                (".text.fast.", false),
                (".rodata.cmds.", false)
            ]
        );
        assert!(found[1].matches(".text.fast.x") && !found[1].matches(".text.faster"));
    }
}
