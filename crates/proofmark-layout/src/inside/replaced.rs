//! A link with other objects in the places of some.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::LayoutError;
use crate::elf::archive::Archive;
use crate::recipe::{Lto, Recipe};
use crate::sources::Place;
use crate::units::Units;

/// The recipe with an object of its own for each of these parts, by source and entry of an archive;
/// files are written to `folder`, which is there and must outlive the recipe.
pub(crate) fn replaced(
    recipe: &Recipe,
    units: &Units,
    objects: &HashMap<(usize, Option<usize>), Vec<u8>>,
    folder: &Path,
) -> Result<Recipe, LayoutError> {
    let mut recipe = recipe.clone();
    for (number, source) in units.sources.iter().enumerate() {
        let of_this: HashMap<Option<usize>, &Vec<u8>> = objects
            .iter()
            .filter(|((of, _), _)| *of == number)
            .map(|((_, entry), object)| (*entry, object))
            .collect();
        if of_this.is_empty() {
            continue;
        }
        let bytes = match of_this.get(&None) {
            Some(object) => (*object).clone(),
            None => archive(&source.blob, &of_this)?,
        };
        let path = folder.join(format!("part{number}"));
        std::fs::write(&path, bytes).map_err(LayoutError::file("write", &path))?;
        if let Some(blob) = blob(&mut recipe, source.place) {
            *blob = path;
        }
    }
    Ok(recipe)
}

/// Where a recipe has a file.
fn blob(recipe: &mut Recipe, place: Place) -> Option<&mut PathBuf> {
    match place {
        Place::Input(index) => Some(&mut recipe.inputs.get_mut(index)?.blob),
        Place::Member(index, member) => {
            let input = recipe.inputs.get_mut(index)?;
            Some(&mut input.members.get_mut(member)?.blob)
        }
        Place::Lto(index) => match recipe.lto.as_mut()? {
            Lto::Gcc { objects } | Lto::Clang { objects } => objects.get_mut(index),
        },
    }
}

fn archive(
    blob: &Path,
    objects: &HashMap<Option<usize>, &Vec<u8>>,
) -> Result<Vec<u8>, LayoutError> {
    let wrong = |problem| LayoutError::Object {
        file: blob.display().to_string(),
        problem,
    };
    let data = std::fs::read(blob).map_err(LayoutError::file("read", blob))?;
    let archive = Archive::parse(&data).map_err(wrong)?;
    let changed = objects
        .iter()
        .filter_map(|(entry, object)| Some(((*entry)?, (*object).clone())))
        .collect();
    Ok(archive.rewrite(&changed).map_err(wrong)?.0)
}
