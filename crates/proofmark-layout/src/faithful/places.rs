//! Two links of one build compared by their handles: the same sections are in both, folded alike,
//! in the same parts of the image, and between the same symbols of the linker's and of assembly.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::elf::block::Block;
use crate::elf::image::{Linked, Span};
use crate::pairing::Identity;
use crate::plan::DATA;
use crate::units::Units;

/// Symbols at the ends of everything, and of the linker's own tables: what lies between them is all
/// of the program, or none of it.
pub(super) const ENDS: [&[u8]; 17] = [
    b"_GLOBAL_OFFSET_TABLE_",
    b"_DYNAMIC",
    b"etext",
    b"_etext",
    b"__etext",
    b"edata",
    b"_edata",
    b"__edata",
    b"end",
    b"_end",
    b"__bss_start",
    b"__bss_start__",
    b"__executable_start",
    b"__data_start",
    b"data_start",
    b"__dso_handle",
    b"__TMC_END__",
];

/// A build whose links are compared.
pub(crate) struct Build<'b> {
    pub(crate) units: &'b Units,
    /// Units that are neither moved nor enlarged.
    pub(crate) held: &'b HashSet<u32>,
    /// Of those, pairs of which the first goes on into the second.
    pub(crate) joined: &'b [(u32, u32)],
    /// Units that get another alignment, with that in bytes.
    pub(crate) loose: &'b HashMap<u32, u64>,
}

/// What in the second link is not as it is in the first.
pub(crate) fn unlike(build: &Build<'_>, reference: &Linked, drawn: &Linked) -> Vec<String> {
    let mut found = build.presence(reference, drawn);
    found.extend(build.folding(reference, drawn));
    found.extend(build.alignments(reference, drawn));
    found.extend(build.parts(reference, drawn));
    found.extend(build.parted(reference, drawn));
    found.extend(build.order(reference, drawn));
    found.extend(build.regions(reference, drawn));
    found
}

impl Build<'_> {
    fn name(&self, unit: u32) -> String {
        let (section, part) = self.units.unit(unit);
        let identity = Identity::of(self.units, unit);
        format!("{} ({} of {})", identity.name(), section.name, part.label)
    }

    fn kind(&self, unit: u32) -> &'static str {
        if self.block(unit) == Block::Text {
            "the function"
        } else {
            "the datum"
        }
    }

    fn block(&self, unit: u32) -> Block {
        self.units.unit(unit).0.block
    }

    /// What is in one and not in the other: collected, or another of several copies.
    fn presence(&self, reference: &Linked, drawn: &Linked) -> Vec<String> {
        let lacking = |a: &Linked, b: &Linked| -> Vec<u32> {
            let mut lacking: Vec<u32> = a
                .handles
                .keys()
                .filter(|unit| !b.handles.contains_key(unit))
                .copied()
                .collect();
            lacking.sort_unstable();
            lacking
        };
        let said = |how: &'static str| {
            move |unit: u32| format!("{} {} {how}", self.kind(unit), self.name(unit))
        };
        let missing = lacking(reference, drawn)
            .into_iter()
            .map(said("is missing"));
        let added = lacking(drawn, reference)
            .into_iter()
            .map(said("is there in addition"));
        missing.chain(added).collect()
    }

    /// Functions that share an address do so in both.
    fn folding(&self, reference: &Linked, drawn: &Linked) -> Option<String> {
        let mut together: HashMap<u64, (u64, u32)> = HashMap::new();
        let mut taken: HashMap<u64, (u64, u32)> = HashMap::new();
        let mut units: Vec<(&u32, &u64)> = reference.handles.iter().collect();
        units.sort_unstable();
        for (unit, at) in units {
            let Some(there) = drawn
                .handles
                .get(unit)
                .filter(|_| self.block(*unit) == Block::Text)
            else {
                continue;
            };
            let first = *together.entry(*at).or_insert((*there, *unit));
            if first.0 != *there {
                return Some(format!(
                    "the functions {} and {} are folded into one, and not here",
                    self.name(first.1),
                    self.name(*unit)
                ));
            }
            let first = *taken.entry(*there).or_insert((*at, *unit));
            if first.0 != *at {
                return Some(format!(
                    "the functions {} and {} are folded into one here only",
                    self.name(first.1),
                    self.name(*unit)
                ));
            }
        }
        None
    }

    /// Everything starts at a multiple of what its section asks for, unless a script of the build's
    /// own says otherwise in the build too.
    fn alignments(&self, reference: &Linked, drawn: &Linked) -> Option<String> {
        let lost = |(unit, at): (&u32, &u64)| {
            let (section, _) = self.units.unit(*unit);
            let asked = self.loose.get(unit).copied();
            let asked = asked.unwrap_or(section.alignment).max(1);
            let own = reference.handles.get(unit)?;
            let lost = loses(asked, [*own, *at]);
            (lost && !section.block.is_thread_local()).then_some((*unit, *at, asked))
        };
        let (unit, at, asked) = drawn.handles.iter().filter_map(lost).min()?;
        Some(format!(
            "{} {} starts at {at:#x}, which is no multiple of the {asked} bytes that it asks for",
            self.kind(unit),
            self.name(unit)
        ))
    }

    /// Everything stands in the same section of the image.
    fn parts(&self, reference: &Linked, drawn: &Linked) -> Option<String> {
        let mut units: Vec<(&u32, &u64)> = reference.handles.iter().collect();
        units.sort_unstable();
        for (unit, at) in units {
            if self.block(*unit).is_thread_local() {
                continue;
            }
            let (Some(own), Some(other)) = (
                reference.section_at(*at),
                drawn.handles.get(unit).and_then(|at| drawn.section_at(*at)),
            ) else {
                continue;
            };
            let usual = |span: &Span| span.name.starts_with(self.block(*unit).section_name());
            let same =
                own.name == other.name || (!self.held.contains(unit) && usual(own) && usual(other));
            if !same {
                return Some(format!(
                    "{} {} stands in {} instead of {}",
                    self.kind(*unit),
                    self.name(*unit),
                    other.name,
                    own.name
                ));
            }
        }
        None
    }

    /// Data stands in the order in which the build has it.
    fn order(&self, reference: &Linked, drawn: &Linked) -> Option<String> {
        let data = reference.handles.iter().filter_map(|(unit, at)| {
            let block = self.block(*unit);
            let there = *drawn.handles.get(unit)?;
            (block != Block::Text).then_some((block, [*at, there], *unit))
        });
        let (first, second) = exchanged(data.collect())?;
        Some(format!(
            "the datum {} stands behind {}, and not before it",
            self.name(first),
            self.name(second)
        ))
    }

    /// Code that goes on into the code behind it still does.
    fn parted(&self, reference: &Linked, drawn: &Linked) -> Option<String> {
        let apart = |linked: &Linked, (unit, next): &(u32, u32)| {
            let both = linked.handles.get(unit).zip(linked.handles.get(next));
            both.map(|(at, next)| next.wrapping_sub(*at))
        };
        let mut pairs = self.joined.iter();
        let (unit, next) = pairs.find(|pair| apart(reference, pair) != apart(drawn, pair))?;
        Some(format!(
            "{} {} goes on into {}, which does not stand behind it as it did",
            self.kind(*unit),
            self.name(*unit),
            self.name(*next)
        ))
    }

    /// Between symbols that a linker or assembly defines and other objects ask for stands the same,
    /// equally far apart.
    fn regions(&self, reference: &Linked, drawn: &Linked) -> Vec<String> {
        let mut found = Vec::new();
        for (name, edges) in self.edges(reference) {
            let movable = std::iter::once(Block::Text)
                .chain(DATA)
                .any(|block| block.section_name() == name);
            for pair in edges.windows(2) {
                let [(from, first), (to, second)] = pair else {
                    continue;
                };
                let inside = self.between(reference, *from, *to);
                // What moves may stand between the ends of two regions, all of it.
                let free = movable && self.is_all_that_moves(reference, name, &inside);
                let there = |symbol: &[u8]| drawn.untyped.get(symbol).copied();
                let (Some(a), Some(b)) = (there(first), there(second)) else {
                    found.push(format!(
                        "the section {name}: its symbols {} and {} are gone",
                        shown(first),
                        shown(second)
                    ));
                    continue;
                };
                let other = self.between(drawn, a, b);
                if !free && (b.wrapping_sub(a) != to - from || inside != other) {
                    found.push(format!(
                        "the section {name}: between {} and {} stand {} bytes instead of {}, or others",
                        shown(first),
                        shown(second),
                        b.wrapping_sub(a),
                        to - from
                    ));
                }
            }
        }
        found
    }

    /// Whether these units are the ones of a section of the image that layouts move.
    fn is_all_that_moves(&self, linked: &Linked, name: &str, inside: &[(u32, u64)]) -> bool {
        let moves = |unit: &u32| !self.held.contains(unit);
        let here = |(_, at): &(&u32, &u64)| {
            linked
                .section_at(**at)
                .is_some_and(|span| span.name == name)
        };
        let all = linked
            .handles
            .iter()
            .filter(|(unit, _)| moves(unit) && !self.block(**unit).is_thread_local())
            .filter(here)
            .count();
        !inside.is_empty() && inside.len() == all && inside.iter().all(|(unit, _)| moves(unit))
    }

    /// For each section of the image, such symbols in it in the order of addresses.
    fn edges<'l>(&self, linked: &'l Linked) -> BTreeMap<&'l str, Vec<(u64, &'l [u8])>> {
        let mut edges: BTreeMap<&str, Vec<(u64, &[u8])>> = BTreeMap::new();
        for (symbol, at) in &linked.untyped {
            let known = self.units.edges.contains(symbol) || self.units.labels.contains(symbol);
            if !known || ENDS.contains(&symbol.as_slice()) {
                continue;
            }
            // What linkers set around a section is of that one, also where it is empty and stands at
            // the end of another.
            if let Some(section) = enclosed(symbol) {
                edges.entry(section).or_default().push((*at, symbol));
                continue;
            }
            // The end of a section belongs to it, even where another one begins.
            let ends = linked
                .spans
                .iter()
                .find(|span| span.address + span.size == *at && span.size > 0);
            let begins = linked.section_at(*at);
            for span in [ends, begins].into_iter().flatten() {
                let known = edges.entry(span.name.as_str()).or_default();
                if !known.contains(&(*at, symbol.as_slice())) {
                    known.push((*at, symbol));
                }
            }
        }
        edges.values_mut().for_each(|edges| edges.sort_unstable());
        edges
    }

    /// The units between two addresses, and how far behind the first.
    fn between(&self, linked: &Linked, from: u64, to: u64) -> Vec<(u32, u64)> {
        let mut found: Vec<(u32, u64)> = linked
            .handles
            .iter()
            .filter(|(unit, at)| (from..to).contains(*at) && !self.block(**unit).is_thread_local())
            .map(|(unit, at)| (*unit, at - from))
            .collect();
        found.sort_unstable();
        found
    }
}

/// Whether what starts at a multiple of some bytes in one link does not in another.
fn loses(asked: u64, [own, drawn]: [u64; 2]) -> bool {
    own.is_multiple_of(asked) && !drawn.is_multiple_of(asked)
}

/// Two units of data, given with their addresses in two links, that stand in another order in the
/// second link than in the first. Of what is folded there, one counts.
fn exchanged(mut data: Vec<(Block, [u64; 2], u32)>) -> Option<(u32, u32)> {
    data.sort_unstable();
    data.dedup_by_key(|(block, [at, _], _)| (*block, *at));
    let mut pairs = data.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    let pair = pairs.find(|pair| pair[1].1[1] < pair[0].1[1])?;
    Some((pair[0].2, pair[1].2))
}

/// The section whose start or end a symbol is that linkers make by themselves.
fn enclosed(symbol: &[u8]) -> Option<&str> {
    let symbol = std::str::from_utf8(symbol).ok()?;
    ["__start_", "__stop_"]
        .iter()
        .find_map(|end| symbol.strip_prefix(end))
}

fn shown(symbol: &[u8]) -> String {
    String::from_utf8_lossy(symbol).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{enclosed, exchanged, loses};
    use crate::elf::block::Block;

    #[test]
    fn the_ends_of_a_linker_set_are_those_of_its_section() {
        assert_eq!(
            enclosed(b"__start___llvm_prf_vnds"),
            Some("__llvm_prf_vnds")
        );
        assert_eq!(enclosed(b"__stop_set"), Some("set"));
        assert_eq!(enclosed(b"hot_begin"), None);
    }

    #[test]
    fn data_in_another_order_is_found() {
        let (ant, zebra) = (
            (Block::Data, [0x10, 0x40], 7),
            (Block::Data, [0x20, 0x50], 3),
        );
        let zeros = (Block::Bss, [0x5, 0x8], 5);
        assert_eq!(exchanged(vec![zebra, zeros, ant]), None);
        let early = (Block::Data, [0x20, 0x30], 3);
        assert_eq!(exchanged(vec![early, ant]), Some((7, 3)));
        // Folded in the first link, apart in the second.
        let twin = (Block::Data, [0x10, 0x60], 9);
        assert_eq!(exchanged(vec![zebra, ant, twin]), None);
    }

    #[test]
    fn an_alignment_that_a_build_has_is_kept() {
        assert!(loses(64, [0x1040, 0x2010]));
        assert!(!loses(64, [0x1040, 0x2080]));
        // A script of the build's own took it away.
        assert!(!loses(64, [0x1010, 0x2010]));
        assert!(!loses(1, [0x1001, 0x2003]));
    }
}
