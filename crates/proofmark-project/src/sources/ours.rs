//! What lies in a source's folder and is no part of it: the project's own file, and the store.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Folders that are never sources, wherever they are.
const NEVER: [&str; 3] = [".git", ".hg", ".proofmark"];

/// Files and folders of the project that no source holds: they change whenever something is asked
/// for or measured.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ours {
    /// Absolute.
    places: Vec<PathBuf>,
}

impl Ours {
    /// These files and folders, of which some need not be there.
    pub(crate) fn new<'a>(places: impl IntoIterator<Item = &'a Path>) -> Ours {
        Ours {
            places: places.into_iter().map(real).collect(),
        }
    }

    /// Why a source cannot lie in this folder, should all of it be ours.
    pub(super) fn check(&self, folder: &Path) -> Result<(), String> {
        if self.places.iter().any(|ours| ours == folder) {
            return Err(format!(
                "the source {} is the store itself: name another folder by --store",
                folder.display()
            ));
        }
        Ok(())
    }

    /// Whether a file or a folder below a source's folder is none of the source.
    pub(super) fn holds(&self, folder: &Path, file: &Path) -> bool {
        let place = folder.join(file);
        let here = |ours: &PathBuf| ours.starts_with(folder) && place.starts_with(ours);
        file.iter().any(is_never) || self.places.iter().any(here)
    }
}

/// Whether a folder of this name is never a source.
pub(super) fn is_never(name: &OsStr) -> bool {
    NEVER.iter().any(|never| name == *never)
}

/// A place without links on its way, also where nothing is there yet.
fn real(place: &Path) -> PathBuf {
    let there = place.ancestors().find_map(|above| {
        let real = above.canonicalize().ok()?;
        Some(real.join(place.strip_prefix(above).ok()?))
    });
    there.unwrap_or_else(|| place.to_owned())
}
