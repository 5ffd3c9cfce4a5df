//! The names of one place.

use std::collections::{BTreeSet, HashMap};
use std::path::{Component, Path, PathBuf};

/// The ways to a place by a name: as it is spelt, without the links of its folder, and without any.
#[derive(Default)]
pub(super) struct Ways {
    /// Folders, with links resolved.
    folders: HashMap<PathBuf, Option<PathBuf>>,
}

impl Ways {
    pub(super) fn of(&mut self, name: &Path) -> BTreeSet<PathBuf> {
        let mut ways = BTreeSet::new();
        if !name.components().any(|part| part == Component::ParentDir) {
            ways.insert(name.to_owned());
        }
        if let (Some(folder), Some(last)) = (name.parent(), name.file_name()) {
            let known = self.folders.entry(folder.to_owned());
            let folder = known.or_insert_with(|| folder.canonicalize().ok());
            ways.extend(folder.as_ref().map(|folder| folder.join(last)));
        }
        if name.is_symlink() || name.file_name().is_none() {
            ways.extend(name.canonicalize());
        }
        ways
    }
}
