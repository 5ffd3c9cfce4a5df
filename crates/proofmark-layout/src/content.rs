//! What the units of a build say, wherever they lie.

use std::collections::HashMap;

use crate::LayoutError;
use crate::elf::archive::Archive;
use crate::elf::block::Block;
use crate::elf::relocatable::Object;
use crate::elf::said::Relocations;
use crate::sources::{Source, each_object};
use crate::units::Units;

/// A digest of the content of each of these units of code.
pub(crate) fn digests(units: &Units) -> Result<HashMap<u32, blake3::Hash>, LayoutError> {
    use rayon::prelude::*;
    let found: Vec<Vec<(u32, blake3::Hash)>> = units
        .sources
        .par_iter()
        .map(of_source)
        .collect::<Result<_, _>>()?;
    Ok(found.into_iter().flatten().collect())
}

fn of_source(source: &Source) -> Result<Vec<(u32, blake3::Hash)>, LayoutError> {
    let mut found = Vec::new();
    each_object(source, |object, part| {
        let relocations = Relocations::of(object)?;
        for (number, unit) in (part.first..).zip(&part.units) {
            if unit.block == Block::Text {
                found.push((number, relocations.digest(object, unit)?));
            }
        }
        Ok(())
    })?;
    Ok(found)
}

/// Looks at the object that holds a unit; none where it cannot be read any more.
pub(crate) fn with_object<T>(
    units: &Units,
    unit: u32,
    look: impl FnOnce(&Object<'_>) -> Result<T, object::Error>,
) -> Option<T> {
    let (source, part) = units.home(unit);
    let data = std::fs::read(&source.blob).ok()?;
    let content = match part.entry {
        Some(entry) => {
            let archive = Archive::parse(&data).ok()?;
            data.get(archive.entries.get(entry)?.content.clone())?
        }
        None => data.as_slice(),
    };
    look(&Object::parse(content).ok()??).ok()
}
