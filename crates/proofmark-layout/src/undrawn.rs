//! What of each build has to stay where a linker puts it.

use std::collections::BTreeSet;

use crate::LayoutError;
use crate::captured::Captured;
use crate::data::PAGE;
use crate::elf::own::OwnSections;
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
