//! Where each build runs: under its own name, at its own place, with its own libraries and the
//! files that its build put beside it.
//!
//! Builds of one program claim the same paths, so each arm of a block sees a file system in which
//! its own files lie there (a [`View`]). They are fresh copies in every block. Where views cannot
//! be had, image and companions lie in a copy of their folders' shape, and builds whose libraries
//! are looked for elsewhere are not compared.

mod copies;
mod fresh;
pub(crate) mod libraries;
mod mapped;
mod own;
mod sources;
mod stage;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use proofmark_capture::{CompanionKind, hash_entry};
use proofmark_measure::View;
use proofmark_terms::{BuildIndex, Digest};

use crate::builds::Subject;
use crate::error::{LabError, of_file};
use crate::tree::Tree;
pub(crate) use copies::Copies;
pub(crate) use fresh::Original;
pub(crate) use mapped::Mapped;
use own::{Own, only_different, own, unlike};
pub(crate) use stage::Staged;

/// A build, and which of its captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Take {
    /// Index of the build.
    pub(crate) build: BuildIndex,
    /// Index of the capture; 0 where the build was captured once, or not at all.
    pub(crate) repeat: usize,
}

impl Take {
    /// The first capture of a build.
    pub(crate) fn first(build: BuildIndex) -> Self {
        Take { build, repeat: 0 }
    }
}

/// The places of all builds of an experiment.
#[derive(Debug)]
pub(crate) struct Places {
    builds: Vec<Vec<Own>>,
    /// Why each arm cannot see its own files at its own place; `None` where it can.
    unusable: Option<String>,
    /// Companions that are not the same in all builds, or not what lies on the disk.
    different: BTreeSet<PathBuf>,
    /// What was made so that files could be bound over it; removed in the end.
    made: Vec<PathBuf>,
    /// The working folder, where each run sees a copy of it.
    original: Option<Original>,
}

impl Places {
    /// The places of these builds; what has to lie on the disk so that files can be bound over it
    /// is made.
    ///
    /// # Errors
    ///
    /// When a place cannot be made.
    pub(crate) fn of(subjects: &[Subject], original: Option<Original>) -> Result<Self, LabError> {
        let unusable = View::usable().err();
        let mut builds: Vec<Vec<Own>> = subjects.iter().map(own).collect();
        let different = only_different(&mut builds, unusable.is_none());
        let mut places = Places {
            builds,
            different,
            unusable,
            made: Vec::new(),
            original,
        };
        if places.unusable.is_none() {
            places.make()?;
        }
        Ok(places)
    }

    /// Why the arms do not run at their own places.
    pub(crate) fn unusable(&self) -> Option<&str> {
        self.unusable.as_deref()
    }

    /// Files that a build would see though only others have them.
    pub(crate) fn foreign(&self, build: BuildIndex) -> BTreeSet<PathBuf> {
        let all = build.of(&self.builds).into_iter().flatten();
        all.flat_map(|own| own.foreign.iter().cloned()).collect()
    }

    /// Files that are put into a build's view.
    pub(crate) fn bound(&self, take: Take) -> BTreeSet<PathBuf> {
        let own = self.own(take);
        let files = own.into_iter().flat_map(|own| own.paths().cloned());
        files.collect()
    }

    /// Files on the disk that a build does not see, for its own lie over them.
    pub(crate) fn covered(&self, take: Take) -> BTreeSet<PathBuf> {
        if self.unusable.is_some() {
            return BTreeSet::new();
        }
        self.bound(take)
    }

    /// The paths of a build's image.
    pub(crate) fn image(&self, take: Take) -> &[PathBuf] {
        self.own(take).map_or(&[], |own| &own.image)
    }

    /// Files, links and folders of a build that are not on the disk as it left them, and of which
    /// no copy was kept.
    pub(crate) fn unkept(&self, take: Take) -> Vec<PathBuf> {
        let own = self.own(take).into_iter();
        own.flat_map(|own| &own.files)
            .filter(|file| file.blob.is_none() && file.kind != CompanionKind::FoundFolder)
            .filter(|file| hash_entry(&file.path).ok().as_ref() != Some(&file.hash))
            .map(|file| file.path.clone())
            .collect()
    }

    /// Names of companions in which the builds differ: libraries first, plain files last.
    pub(crate) fn unlike(&self) -> Vec<PathBuf> {
        unlike(&self.builds, &self.different)
    }

    fn own(&self, take: Take) -> Option<&Own> {
        take.build.of(&self.builds)?.get(take.repeat)
    }

    /// The folder of files that a build reads, where each build has one of its own.
    pub(crate) fn tree(&self, take: Take) -> Option<&Tree> {
        self.own(take)?.tree.as_ref()
    }

    /// The folder of all copies of sources, where a build sees one of its own in its place.
    pub(crate) fn copies(&self, take: Take) -> Option<&Path> {
        let own = self.own(take).filter(|_| self.unusable.is_none())?;
        own.copies.as_deref()
    }

    /// Makes an empty file wherever something is to be seen and nothing lies, and an empty folder
    /// where trees are. Nothing is made among copies of sources, which come and go.
    fn make(&mut self) -> Result<(), LabError> {
        let copies = self
            .builds
            .iter()
            .flatten()
            .filter_map(|own| own.copies.as_ref());
        for path in copies {
            // It stays: others see their own in its place.
            fs::create_dir_all(path).map_err(of_file("make", path))?;
        }
        let trees = self
            .builds
            .iter()
            .flatten()
            .filter_map(|own| own.tree.as_ref());
        let at: BTreeSet<PathBuf> = trees.map(|tree| tree.at().to_owned()).collect();
        for path in at.iter().filter(|path| !path.exists()) {
            self.make_folders(path)
                .map_err(of_file("make a place for a tree at", path))?;
        }
        let all: BTreeSet<PathBuf> = self
            .builds
            .iter()
            .flatten()
            .flat_map(|own| own.paths().filter(|path| !own.is_in_copies(path)))
            .cloned()
            .collect();
        for path in all {
            // A tree brings along what lies in it.
            if !path.exists() && !at.iter().any(|tree| path.starts_with(tree)) {
                self.make_one(&path)
                    .map_err(of_file("make a place for the build at", &path))?;
            }
        }
        Ok(())
    }

    fn make_folders(&mut self, path: &Path) -> std::io::Result<()> {
        let mut missing: Vec<&Path> = path
            .ancestors()
            .take_while(|folder| !folder.exists())
            .collect();
        while let Some(folder) = missing.pop() {
            fs::create_dir(folder)?;
            self.made.push(folder.to_owned());
        }
        Ok(())
    }

    fn make_one(&mut self, path: &Path) -> std::io::Result<()> {
        if let Some(folder) = path.parent() {
            self.make_folders(folder)?;
        }
        let file = File::options().write(true).create_new(true).open(path)?;
        self.made.push(path.to_owned());
        // Should it be left behind, no build takes it for something new.
        file.set_modified(SystemTime::UNIX_EPOCH)
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        for path in self.made.iter().rev() {
            // Only what is still empty: a build may have begun to use it.
            let empty = fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() == 0);
            let _ = if empty {
                fs::remove_file(path)
            } else {
                fs::remove_dir(path)
            };
        }
    }
}

/// BLAKE3 of a file, where it can be read.
pub(crate) fn hash(path: &Path) -> Option<Digest> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path).ok()?).ok()?;
    Some(hasher.finalize().into())
}
