//! Functions that both builds have, in another order. Matched layouts have one order for all: what
//! the other order does is in none of them.
//!
//! Compilers of Rust and ThinLTO change the order unasked, and that is placement. A source that
//! puts functions together which are used together has another order too, and means it.

use std::collections::{HashMap, HashSet};

use crate::LayoutError;
use crate::data::longest_increasing;
use crate::elf::relocatable::Block;
use crate::evened::Evened;
use crate::pairing::{Identity, shared};
use crate::recipe::Recipe;
use crate::survey::Look;
use crate::units::Units;

/// Less code than this out of order is a matter of where it lies, in bytes: a page.
const FEW: u64 = 4096;

/// Such a share of the code that both builds have is more than a few functions.
const SHARE: f64 = 0.05;

/// The functions of two builds that stand in another order in their files; `None` where they are
/// few. Links both once, in folders for temporary files.
///
/// # Errors
/// When an input cannot be read or a link fails.
pub fn reordered(a: &Recipe, b: &Recipe) -> Result<Option<Evened>, LayoutError> {
    let (a, b) = rayon::join(|| Look::at(a), || Look::at(b));
    let orders = [a?, b?].map(|look| (look.code(), look.units));
    let [(first, own), (second, other)] = orders;
    let units = [own, other];
    let place: HashMap<u32, usize> = first
        .iter()
        .zip(0..)
        .map(|(unit, at)| (*unit, at))
        .collect();
    let like: HashMap<u32, u32> = (shared(&units).into_iter())
        .map(|[own, other]| (other, own))
        .collect();
    let both: Vec<(u32, usize)> = (second.iter())
        .filter_map(|unit| Some((*unit, *place.get(like.get(unit)?)?)))
        .collect();
    let places: Vec<usize> = both.iter().map(|(_, at)| *at).collect();
    let in_order: HashSet<usize> = longest_increasing(&places).into_iter().collect();
    let out_of_order = || both.iter().filter(|(_, at)| !in_order.contains(at));
    let size = |(unit, _): &(u32, usize)| units[1].unit(*unit).0.size;
    let moved: u64 = out_of_order().map(size).sum();
    let all: u64 = both.iter().map(size).sum();
    #[expect(
        clippy::cast_precision_loss,
        reason = "sizes of code are far below 2^53"
    )]
    let few = moved <= FEW || (moved as f64) <= SHARE * all as f64;
    let largest = out_of_order().max_by_key(|one| size(one)).filter(|_| !few);
    Ok(largest.map(|(unit, _)| Evened {
        count: out_of_order().count(),
        example: Identity::of(&units[1], *unit).name().into_owned(),
    }))
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
