//! Sections that a linker script names, or that labels of several objects enclose: where they stand
//! has a meaning, so they are not moved, renamed or enlarged.

use std::collections::{HashMap, HashSet};

use super::places::ENDS;
use crate::LayoutError;
use crate::elf::image::Linked;
use crate::elf::relocatable::{Block, Section};
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

/// The units that a script names, or puts elsewhere than where a linker does by itself.
pub(crate) fn held(
    recipe: &Recipe,
    units: &Units,
    linked: &Linked,
) -> Result<HashSet<u32>, LayoutError> {
    let texts: Vec<Vec<u8>> = scripts(recipe).collect();
    let among_labels = among_labels(units, linked);
    if texts.is_empty() {
        return Ok(among_labels);
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
    Ok((0..count)
        .filter(|number| {
            let section = units.unit(*number).0;
            named(section) || elsewhere(*number, section) || among_labels.contains(number)
        })
        .collect())
}

/// The units of data between labels in one section of the image. Whoever sets a label in one object
/// and another one in the next walks from one to the other, for all that can be known: what stands
/// between them stays as it is.
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
            *known = (known.0.min(*at), known.1.max(*at));
        }
    }
    let between = |(unit, at): (&u32, &u64)| {
        let block = units.unit(*unit).0.block;
        let inside = ends.values().any(|(from, to)| (from..to).contains(&at));
        (inside && block != Block::Text && !block.is_thread_local()).then_some(*unit)
    };
    linked.handles.iter().filter_map(between).collect()
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
