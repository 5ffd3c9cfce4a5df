//! Functions and data that both builds have, in another order. Matched layouts have one order for
//! all: what the other order does is in none of them.
//!
//! Compilers of Rust and ThinLTO change the order unasked, and that is placement. A source that
//! puts together what is used together has another order too, and means it.

use std::collections::{HashMap, HashSet};

use crate::data::longest_increasing;
use crate::elf::block::Block;
use crate::evened::Evened;
use crate::pairing::{Identity, shared};
use crate::plan::DATA;
use crate::survey::Look;
use crate::units::Units;

/// Less code than this in sections of another kind is a matter of where it lies, in bytes: a page.
const FEW: u64 = 4096;

/// The functions and data of two builds that stand in another order in their files; `None` where
/// they hold no more than `few` bytes together. It is no share of a program: what is hot is seldom
/// more than a hundredth of it.
pub(crate) fn reordered(looks: [Look; 2], few: u64) -> Option<Evened> {
    let orders = looks.each_ref().map(|look| look.seen().order);
    let units = looks.map(|look| look.units);
    let [first, second] = &orders;
    let place: HashMap<u32, usize> = first
        .iter()
        .zip(0..)
        .map(|(unit, at)| (*unit, at))
        .collect();
    let like: HashMap<u32, u32> = (shared(&units).into_iter())
        .map(|[own, other]| (other, own))
        .collect();
    let mut moved: Vec<u32> = Vec::new();
    for block in [Block::Text].into_iter().chain(DATA) {
        let both: Vec<(u32, usize)> = (second.iter())
            .filter(|unit| units[1].unit(**unit).0.block == block)
            .filter_map(|unit| Some((*unit, *place.get(like.get(unit)?)?)))
            .collect();
        let places: Vec<usize> = both.iter().map(|(_, at)| *at).collect();
        let in_order: HashSet<usize> = longest_increasing(&places).into_iter().collect();
        let out_of_order = both.iter().filter(|(_, at)| !in_order.contains(at));
        moved.extend(out_of_order.map(|(unit, _)| unit));
    }
    let size = |unit: &u32| units[1].unit(*unit).0.size;
    if moved.iter().map(size).sum::<u64>() <= few {
        return None;
    }
    let largest = moved.iter().max_by_key(|unit| size(unit))?;
    Some(Evened {
        count: moved.len(),
        example: Identity::of(&units[1], *largest).name().into_owned(),
    })
}

/// How many functions stand in sections of another kind (`.text.hot`, `.text.unlikely`…), by which
/// linkers put them together, and one of them; `None` where they are few.
pub(crate) fn kinds(units: &[Units; 2], pairs: &[[u32; 2]]) -> Option<(usize, String)> {
    let (mut count, mut moved) = (0, 0);
    let mut example = None;
    for &[own, other] in pairs {
        let (a, b) = (units[0].unit(own).0, units[1].unit(other).0);
        if a.block != Block::Text || b.block != Block::Text {
            continue;
        }
        let kinds = [kind(&a.name), kind(&b.name)];
        if kinds[0] != kinds[1] {
            count += 1;
            moved += b.size;
            let name = || Identity::of(&units[1], other).name().into_owned();
            example.get_or_insert_with(|| format!("{}: {} to {}", name(), kinds[0], kinds[1]));
        }
    }
    example
        .filter(|_| moved > FEW)
        .map(|example| (count, example))
}

/// What a section is to a linker that puts those of a kind together (GNU ld's own script; `-z
/// keep-text-section-prefix` of lld).
fn kind(section: &str) -> &'static str {
    const KINDS: [&str; 6] = [
        ".text.hot",
        ".text.unlikely",
        ".text.startup",
        ".text.exit",
        ".text.unknown",
        ".text.split",
    ];
    let is = |known: &&&str| {
        let rest = section.strip_prefix(**known);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    KINDS.iter().find(is).map_or(".text", |known| *known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_a_section_is_told_by_its_name() {
        for (section, expected) in [
            (".text", ".text"),
            (".text.hotel", ".text"),
            (".text.hot", ".text.hot"),
            (".text.hot.f", ".text.hot"),
            (".text.unlikely.f", ".text.unlikely"),
            (".init", ".text"),
        ] {
            assert_eq!(kind(section), expected, "{section}");
        }
    }
}
