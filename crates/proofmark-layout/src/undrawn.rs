//! What of each build has to stay where a linker puts it.

use std::collections::BTreeSet;

use crate::LayoutError;
use crate::captured::Captured;
use crate::extent::{is_of_c_library, looks_through_data};
use crate::freedom::{Hindrance, Undrawn, UndrawnData};
use crate::link::argv;
use crate::link::sections::folds;
use crate::observed::Observed;
use crate::sources::each_object;
use crate::units::{Live, Units};

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
        let sections = fixed_sections(&observed.units, &observed.live)?;
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

/// Sections of the program that layouts leave where they are, for they have names of their own.
fn fixed_sections(units: &Units, live: &Live) -> Result<Vec<String>, LayoutError> {
    let mut found = BTreeSet::new();
    for source in &units.sources {
        each_object(source, |object, part| {
            let mut numbers = (part.first..).zip(&part.units);
            if !is_of_c_library(part) && numbers.any(|(unit, _)| live.contains_key(&unit)) {
                found.extend(object.fixed_sections()?);
            }
            Ok(())
        })?;
    }
    Ok(found.into_iter().collect())
}
