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
            let several =
                |all: &[OwnExtent]| all.len() > 1 || all.iter().any(|extent| extent.symbols > 1);
            if several(&first) && several(&own) {
                names.extend(unequal(&first, &own));
            }
        }
        if !names.is_empty() {
            found.push((build, names.into_iter().collect()));
        }
    }
    Ok(found)
}

/// Names of which the sections, in their order, are not equally long.
fn unequal(first: &[OwnExtent], own: &[OwnExtent]) -> BTreeSet<String> {
    let sizes = |all: &[OwnExtent], name: &str| -> Vec<u64> {
        let named = all.iter().filter(|extent| extent.name == name);
        named.map(|extent| extent.size).collect()
    };
    let names = first.iter().chain(own).map(|extent| extent.name.clone());
    let mut names: BTreeSet<String> = names.collect();
    names.retain(|name| sizes(first, name) != sizes(own, name));
    names
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
