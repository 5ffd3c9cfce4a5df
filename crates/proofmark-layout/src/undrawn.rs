//! What of each build has to stay where a linker puts it.

use std::collections::{BTreeMap, BTreeSet};

use crate::LayoutError;
use crate::captured::Captured;
use crate::data::PAGE;
use crate::elf::own::OwnSections;
use crate::elf::relocatable::OwnExtent;
use crate::extent::{is_of_c_library, looks_through_data};
use crate::freedom::{Hindrance, Undrawn, UndrawnData};
use crate::link::argv;
use crate::link::sections::{folds, has_script};
use crate::observed::Observed;
use crate::sources::each_object;
use crate::units::{Live, Units, is_linked};

/// What has to stay where a linker puts it, and why. A program that looks through its data would
/// have more to look through.
pub(crate) fn undrawn(
    captured: &[Captured<'_>],
    builds: &[Observed],
) -> Result<Vec<Undrawn>, LayoutError> {
    let mut found = Vec::new();
    for (index, (build, observed)) in captured.iter().zip(builds).enumerate() {
        let found_one = if let Some(symbol) = looks_through_data(build, &observed.units)? {
            Some((UndrawnData::All, Hindrance::LooksThrough(symbol)))
        } else if folds(&argv::parse(&build.recipe.argv)) {
            // Of constants that a link folds, each other size is another one.
            Some((UndrawnData::Constants, Hindrance::Folds))
        } else {
            (observed.merged_by.clone()).map(|why| (UndrawnData::Merged, why))
        };
        let all = matches!(found_one, Some((UndrawnData::All, _)));
        let sections = if all {
            Vec::new()
        } else {
            let leads = !has_script(build.recipe);
            fixed_sections(&observed.units, &observed.live, leads)?
        };
        let named =
            (!sections.is_empty()).then_some((UndrawnData::Sections, Hindrance::Names(sections)));
        let of_build = found_one.into_iter().chain(named);
        found.extend(of_build.map(|(what, why)| Undrawn {
            build: index,
            what,
            why,
        }));
    }
    let distances = uneven(builds)?.into_iter().map(|(build, names)| Undrawn {
        build,
        what: UndrawnData::Distances,
        why: Hindrance::Names(names),
    });
    found.extend(distances);
    Ok(found)
}

/// Bytes that code of a usual alignment goes by.
const PLACE_OF_CODE: u64 = 16;

/// The same of data.
const PLACE_OF_DATA: u64 = 8;

/// For each build, sections with names of their own that are not as long as in the first build, where
/// it matters: something else stands there, and all of the kind are moved by more than what it may
/// go by.
fn uneven(builds: &[Observed]) -> Result<Vec<(usize, Vec<String>)>, LayoutError> {
    let mut alignments: BTreeMap<OwnSections, u64> = BTreeMap::new();
    for build in builds {
        for (kind, alignment) in build.units.own_sections(&build.live) {
            let known = alignments.entry(kind).or_default();
            *known = alignment.max(*known);
        }
    }
    alignments.retain(|kind, alignment| {
        let place = match kind {
            OwnSections::Code => PLACE_OF_CODE,
            _ => PLACE_OF_DATA,
        };
        *alignment > place
    });
    if alignments.is_empty() || builds.len() < 2 {
        return Ok(Vec::new());
    }
    let all = builds.iter().map(extents);
    let all: Vec<Vec<OwnExtent>> = all.collect::<Result<_, LayoutError>>()?;
    let mut found = Vec::new();
    for (build, own) in all.iter().enumerate().skip(1) {
        let mut names = BTreeSet::new();
        for kind in alignments.keys() {
            let of_kind = |all: &[OwnExtent]| {
                let all = all.iter().filter(|extent| extent.kind == *kind);
                all.cloned().collect::<Vec<_>>()
            };
            let [first, own] = [&all[0], own].map(|all| of_kind(all));
            names.extend(unequal(&first, &own));
        }
        if !names.is_empty() {
            found.push((build, names.into_iter().collect()));
        }
    }
    Ok(found)
}

/// Names of sections that are not as long as those in their places in the first build, where
/// something stands behind one of them. Linkers put those of one name together.
fn unequal(first: &[OwnExtent], own: &[OwnExtent]) -> BTreeSet<String> {
    let [first, own] = [first, own].map(in_order);
    let longest = first.len().max(own.len());
    let mut names = BTreeSet::new();
    for place in 0..longest {
        let both = [first.get(place), own.get(place)];
        let is_same = |a: &OwnExtent, b: &OwnExtent| a.name == b.name && a.size == b.size;
        if matches!(both, [Some(a), Some(b)] if is_same(a, b)) {
            continue;
        }
        // What is the last of all has nothing behind it.
        let last = place + 1 == longest;
        let alone = both.into_iter().flatten().all(|one| one.symbols <= 1);
        if !(last && alone) {
            names.extend(both.into_iter().flatten().map(|one| one.name.clone()));
        }
    }
    names
}

/// In the order of an image: by the first of their names.
fn in_order(all: &[OwnExtent]) -> Vec<&OwnExtent> {
    let first = |one: &&OwnExtent| all.iter().position(|other| other.name == one.name);
    let mut sorted: Vec<&OwnExtent> = all.iter().collect();
    sorted.sort_by_key(first);
    sorted
}

/// Sections with names of their own that are in the image of a build, in the order of its link.
fn extents(build: &Observed) -> Result<Vec<OwnExtent>, LayoutError> {
    let mut found = Vec::new();
    for source in &build.units.sources {
        each_object(source, |object, part| {
            if is_linked(source, part, &build.live) {
                found.extend(object.own_extents()?);
            }
            Ok(())
        })?;
    }
    Ok(found)
}

/// What has fewer places in a page than this is told as not drawn.
const LEAST_PLACES: u64 = 8;

/// Sections of the program that layouts leave where they are, for they have names of their own.
/// `leads` says whether layouts move those of a kind together: within a page, by multiples of the
/// largest alignment, so that they have few places where one of them asks for much. Where they do
/// not, common symbols stay as well.
fn fixed_sections(units: &Units, live: &Live, leads: bool) -> Result<Vec<String>, LayoutError> {
    let own_sections = units.own_sections(live);
    let alignment = |kind| own_sections.get(&kind).copied().unwrap_or(1);
    let led = |kind: OwnSections| leads && alignment(kind) * LEAST_PLACES <= PAGE;
    let mut found = BTreeSet::new();
    for source in &units.sources {
        each_object(source, |object, part| {
            if !is_of_c_library(part) && is_linked(source, part, live) {
                found.extend(object.fixed_sections(led)?);
                if !leads {
                    found.extend(object.commons().into_iter().map(str::to_owned));
                }
            }
            Ok(())
        })?;
    }
    Ok(found.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_in_step_is_told_where_something_stands_behind() {
        let sections = |all: &[(&str, u64, usize)]| -> Vec<OwnExtent> {
            let one = |&(name, size, symbols): &(&str, u64, usize)| OwnExtent {
                kind: OwnSections::Code,
                name: name.to_owned(),
                size,
                symbols,
            };
            all.iter().map(one).collect()
        };
        let base = [("hot", 64, 1), ("cold", 32, 1), ("hot", 16, 1)];
        let told = |own: &[(&str, u64, usize)]| -> Vec<String> {
            unequal(&sections(&base), &sections(own))
                .into_iter()
                .collect()
        };
        assert!(told(&base).is_empty());
        // The last in the image is `cold`.
        assert!(told(&[("hot", 64, 1), ("cold", 48, 1), ("hot", 16, 1)]).is_empty());
        assert_eq!(
            told(&[("hot", 64, 1), ("cold", 48, 2), ("hot", 16, 1)]),
            ["cold"]
        );
        assert_eq!(
            told(&[("hot", 80, 1), ("cold", 32, 1), ("hot", 16, 1)]),
            ["hot"]
        );
        let swapped = [("cold", 32, 1), ("hot", 64, 1), ("hot", 16, 1)];
        assert_eq!(told(&swapped), ["cold", "hot"]);
    }
}
