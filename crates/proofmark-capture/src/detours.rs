//! Names of files that are not there any more, or not yet.

use std::path::{Component, Path, PathBuf};

/// A name without links and detours as far as it leads anywhere, and the rest of it as it is spelt:
/// `x/../y` is `y` also where there is no `x`.
pub(crate) fn without_detours(name: &Path) -> PathBuf {
    let mut place = PathBuf::new();
    for part in name.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(place.pop()),
            part => {
                place.push(part);
                place = place.canonicalize().unwrap_or(place);
            }
        }
    }
    place
}
