//! Copies of a link's inputs in which sections have other names or alignments.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::LayoutError;
use crate::elf::archive::{Archive, is_archive};
use crate::elf::patch::{Edits, patch};
use crate::elf::relocatable::Object;
use crate::recipe::{Lto, Recipe};
use crate::sources::{Part, Place, Source};
use crate::units::Units;

/// What changes, by unit.
#[derive(Default)]
pub(super) struct Changes {
    /// New names of sections.
    pub(super) names: Vec<(u32, String)>,
    /// New alignments, in bytes.
    pub(super) alignments: Vec<(u32, u64)>,
}

/// The link with changed copies of its inputs in `folder`.
pub(super) fn changed(
    recipe: &Recipe,
    units: &Units,
    changes: &Changes,
    folder: &Path,
) -> Result<Recipe, LayoutError> {
    let mut arranged = recipe.clone();
    for (number, source) in units.sources.iter().enumerate() {
        let edits: Vec<Edits> = source
            .parts
            .iter()
            .map(|part| edits(part, changes))
            .collect();
        if edits.iter().all(is_nothing) {
            continue;
        }
        if let Place::Member(..) = source.place {
            // Its archive says how long it is.
            return Err(LayoutError::NotArranged {
                why: "its code is in a thin archive, of which no copy is changed".to_owned(),
            });
        }
        let content = rewritten(source, &edits)?;
        let blob = folder.join(format!("input{number}"));
        std::fs::write(&blob, &content).map_err(LayoutError::file("write", &blob))?;
        replace(&mut arranged, source.place, blob, &content);
    }
    Ok(arranged)
}

fn edits(part: &Part, changes: &Changes) -> Edits {
    let index = |unit: u32| {
        let at = unit.checked_sub(part.first)?;
        part.units.get(at as usize).map(|section| section.index)
    };
    let names = changes.names.iter();
    let alignments = changes.alignments.iter();
    Edits {
        names: names
            .filter_map(|(unit, name)| Some((index(*unit)?, name.clone())))
            .collect(),
        alignments: alignments
            .filter_map(|(unit, bytes)| Some((index(*unit)?, *bytes)))
            .collect(),
        ..Edits::default()
    }
}

fn is_nothing(edits: &Edits) -> bool {
    edits.names.is_empty() && edits.alignments.is_empty()
}

/// The content of a file with the edits of each of its parts.
fn rewritten(source: &Source, edits: &[Edits]) -> Result<Vec<u8>, LayoutError> {
    let data = std::fs::read(&source.blob).map_err(LayoutError::file("read", &source.blob))?;
    if !is_archive(&data) {
        return match (source.parts.as_slice(), edits) {
            ([part], [edits]) => patched(&data, part, edits),
            _ => Ok(data),
        };
    }
    let damaged = |problem: String| LayoutError::Object {
        file: source.blob.display().to_string(),
        problem,
    };
    let archive = Archive::parse(&data).map_err(damaged)?;
    let mut changed = HashMap::new();
    for (part, edits) in source.parts.iter().zip(edits) {
        let Some(entry) = part.entry.filter(|_| !is_nothing(edits)) else {
            continue;
        };
        let content = &data[archive.entries[entry].content.clone()];
        changed.insert(entry, patched(content, part, edits)?);
    }
    Ok(archive.rewrite(&changed).map_err(damaged)?.0)
}

fn patched(data: &[u8], part: &Part, edits: &Edits) -> Result<Vec<u8>, LayoutError> {
    let wrong = |problem: String| LayoutError::Object {
        file: part.label.clone(),
        problem,
    };
    let object = Object::parse(data)
        .map_err(|error| wrong(error.to_string()))?
        .ok_or_else(|| wrong("changed while it was read".to_owned()))?;
    Ok(patch(&object, edits).map_err(wrong)?.bytes)
}

/// Puts the changed copy in the place of what it was made from.
fn replace(recipe: &mut Recipe, place: Place, blob: PathBuf, content: &[u8]) {
    let hash = blake3::hash(content).into();
    match place {
        Place::Input(index) => {
            let input = &mut recipe.inputs[index];
            (input.blob, input.hash) = (blob, hash);
        }
        Place::Member(..) => {}
        Place::Lto(index) => {
            if let Some(Lto::Gcc { objects } | Lto::Clang { objects }) = &mut recipe.lto {
                objects[index] = blob;
            }
        }
    }
}
