//! The folder in which copies of sources are made for builds, and removed again: an arm whose build
//! was made there sees one of its own in its place.
//!
//! Its images have to be seen at their paths in a copy that is gone. Were places for them made on
//! the disk, the next build of the same repository would remove them while they are measured, and
//! would find them where it builds.

use std::fs;
use std::path::{Path, PathBuf};

use proofmark_capture::CapturedLink;
use proofmark_measure::Binding;

use crate::error::{LabError, of_file};

/// The folder of all copies, where a link was made in one that is gone: nothing else is in it, and
/// it stays.
pub(super) fn folder_of(link: &CapturedLink) -> Option<PathBuf> {
    let copy = &link.gone.as_ref()?.whole;
    copy.parent().map(Path::to_owned)
}

/// A folder at `copy` to be seen in the place of that of all copies, in which nothing is but an
/// empty file at each of `paths` that lie in there.
pub(super) fn emptied<'a>(
    at: &Path,
    paths: impl Iterator<Item = &'a PathBuf>,
    copy: &Path,
) -> Result<Binding, LabError> {
    fs::create_dir_all(copy).map_err(of_file("make", copy))?;
    for inside in paths.filter_map(|path| path.strip_prefix(at).ok()) {
        let place = copy.join(inside);
        let folder = place.parent().unwrap_or(copy);
        fs::create_dir_all(folder).map_err(of_file("make", folder))?;
        fs::write(&place, "").map_err(of_file("make a place for the build at", &place))?;
    }
    Ok(Binding {
        file: copy.canonicalize().map_err(of_file("find", copy))?,
        at: at.to_owned(),
    })
}
