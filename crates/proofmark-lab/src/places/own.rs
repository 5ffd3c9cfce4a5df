//! The place of each build: where its image lies, which files belong to it, and which of them
//! differ from those of others.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proofmark_capture::{CapturedLink, Companion};
use proofmark_terms::Digest;

use super::hash;
use crate::builds::{Source, Subject};

/// The place of one build, of one of its captures.
#[derive(Clone, Debug)]
pub(super) struct Own {
    /// Where its image lies, the path that it is started by first.
    pub(super) image: Vec<PathBuf>,
    /// Whether the image is the file at that path itself, which nobody captured.
    pub(super) uncaptured: bool,
    /// Its companions that are not what lies on the disk for all builds.
    pub(super) files: Vec<Companion>,
    /// Files of other builds that it does not have, and that it would see all the same.
    pub(super) foreign: BTreeSet<PathBuf>,
}

/// The places of one build, one for each of its captures.
pub(super) fn own(subject: &Subject) -> Vec<Own> {
    match &subject.source {
        Source::Captured { links, .. } => links.iter().map(captured).collect(),
        Source::Executable { path, .. } => vec![Own {
            image: vec![path.clone()],
            uncaptured: true,
            files: Vec::new(),
            foreign: BTreeSet::new(),
        }],
    }
}

fn captured(link: &CapturedLink) -> Own {
    let mut image = vec![link.output.clone()];
    image.extend(link.aliases.iter().cloned());
    // cargo links `deps/name-hash` and gives it its name by a hard link in the folder above.
    let deps = link
        .output
        .parent()
        .filter(|folder| folder.ends_with("deps"));
    let named = deps
        .and_then(Path::parent)
        .and_then(|above| image.iter().position(|path| path.parent() == Some(above)));
    image.swap(0, named.unwrap_or(0));
    Own {
        image,
        uncaptured: false,
        files: link.companions.clone(),
        foreign: BTreeSet::new(),
    }
}

/// Finds the companions that others have; leaves out, where views can be had, those that are the
/// same in all builds and on the disk.
pub(super) fn only_different(builds: &mut [Vec<Own>], leave_out: bool) -> BTreeSet<PathBuf> {
    let mut all: BTreeMap<PathBuf, BTreeSet<Digest>> = BTreeMap::new();
    let every = || builds.iter().flatten();
    for file in every().flat_map(|own| &own.files) {
        let known = all.entry(file.path.clone()).or_default();
        known.insert(file.hash.clone());
    }
    let captured: Vec<&Own> = every().filter(|own| !own.uncaptured).collect();
    let mut different: BTreeSet<PathBuf> = BTreeSet::new();
    for (path, hashes) in &all {
        let on_disk = hash(path);
        let one = hashes.len() == 1 && hashes.first() == on_disk.as_ref();
        let everywhere = captured
            .iter()
            .all(|own| own.files.iter().any(|file| file.path == *path) || own.image.contains(path));
        if !one || !everywhere {
            different.insert(path.clone());
        }
    }
    for own in builds.iter_mut().flatten() {
        let has = |path: &PathBuf| {
            own.image.contains(path) || own.files.iter().any(|file| file.path == *path)
        };
        own.foreign = different
            .iter()
            .filter(|path| !has(path) && path.exists())
            .cloned()
            .collect();
        own.files
            .retain(|file| !leave_out || different.contains(&file.path));
    }
    different
}

/// Whether a companion is not the same, beside the image, in all captured builds.
pub(super) fn differs<'a>(path: &Path, builds: impl Iterator<Item = &'a Own>) -> bool {
    let captured: Vec<&Own> = builds.filter(|own| !own.uncaptured).collect();
    let folder = |own: &Own| own.image.first()?.parent().map(Path::to_owned);
    let found = captured.iter().find_map(|own| {
        let file = own.files.iter().find(|file| file.path == path)?;
        Some((path.strip_prefix(folder(own)?).ok()?, &file.hash))
    });
    let Some((beside, hash)) = found else {
        return true;
    };
    !captured.iter().all(|own| {
        let place = folder(own).map(|folder| folder.join(beside));
        let mut files = own.files.iter();
        files.any(|file| Some(&file.path) == place.as_ref() && file.hash == *hash)
    })
}

#[cfg(test)]
mod tests {
    use proofmark_capture::CompanionKind;

    use super::*;

    #[test]
    fn the_same_file_beside_images_in_folders_of_their_own_is_no_difference() {
        let own = |folder: &str, hash: &str| Own {
            image: vec![Path::new(folder).join("prog")],
            uncaptured: false,
            files: vec![Companion {
                path: Path::new(folder).join("notes.txt"),
                kind: CompanionKind::File,
                hash: hash.into(),
                blob: None,
                mode: 0o644,
            }],
            foreign: BTreeSet::new(),
        };
        let notes = Path::new("/work/a/notes.txt");
        let differ =
            |other: &str| differs(notes, [own("/work/a", "1"), own("/work/b", other)].iter());
        assert!(!differ("1"));
        assert!(differ("2"));
    }
}
