//! The files of a link that hold units, and the objects in them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::LayoutError;
use crate::elf::archive::{Archive, is_archive};
use crate::elf::own::OwnSections;
use crate::elf::relocatable::{Object, Section};

/// Where in a link a file stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// An input of the recipe.
    Input(usize),
    /// A file that a thin archive of the recipe names.
    Member(usize, usize),
    /// An object that link-time optimisation produced.
    Lto(usize),
}

/// A file that holds units.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) place: Place,
    pub(crate) blob: PathBuf,
    /// Its objects: one, or those of an archive.
    pub(crate) parts: Vec<Part>,
}

/// An object.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// Its position in the archive.
    pub(crate) entry: Option<usize>,
    /// As a person would name it, and as it is named in other builds: `lib/libx.a(m.o)`.
    pub(crate) label: String,
    /// Number of its first unit.
    pub(crate) first: u32,
    pub(crate) units: Vec<Section>,
    /// Kinds of its sections with names of their own, with the largest alignment of each in bytes.
    pub(crate) own_sections: BTreeMap<OwnSections, u64>,
    /// LLVM bitcode, whose code is in the objects of link-time optimisation.
    pub(crate) bitcode: bool,
}

/// Looks at each object of a file.
pub(crate) fn each_object(
    source: &Source,
    mut look: impl FnMut(&Object<'_>, &Part) -> Result<(), object::Error>,
) -> Result<(), LayoutError> {
    let data = std::fs::read(&source.blob).map_err(LayoutError::file("read", &source.blob))?;
    let archive = if is_archive(&data) {
        Some(Archive::parse(&data))
    } else {
        None
    };
    for part in &source.parts {
        let wrong = |problem: String| LayoutError::Object {
            file: part.label.clone(),
            problem,
        };
        let content = match (&archive, part.entry) {
            (Some(archive), Some(entry)) => {
                let archive = archive.as_ref().map_err(|problem| wrong(problem.clone()))?;
                &data[archive.entries[entry].content.clone()]
            }
            _ => data.as_slice(),
        };
        if let Some(object) = Object::parse(content).map_err(|error| wrong(error.to_string()))? {
            look(&object, part).map_err(|error| wrong(error.to_string()))?;
        }
    }
    Ok(())
}
