//! The folders in which copies of images are made, one after another, so that no copy gets the
//! physical pages of the one that it replaces.
//!
//! Pages of a file that is removed are the first ones that the kernel hands out again: of 77 pages
//! of eleven images, 99 % were those of the placement before (ext4, Linux 6.18). Where a cache is
//! indexed by physical addresses, each image would keep what its pages happen to cost. So the new
//! copies are made while the old ones are still there.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{LabError, of_file};

/// The first number of a folder: all have one length, and so have the paths within.
const FIRST: u32 = 1_000_000;

/// Where copies are made.
#[derive(Debug)]
pub(crate) struct Copies {
    folder: PathBuf,
    made: u32,
}

impl Copies {
    /// Copies are made in folders within this one.
    pub(crate) fn within(folder: PathBuf) -> Copies {
        Copies { folder, made: 0 }
    }

    /// What all of them are made in.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// An empty folder for new copies. Those of before stay until [`Copies::settled`].
    ///
    /// # Errors
    ///
    /// When what an earlier experiment left cannot be removed, or no folder can be made.
    pub(crate) fn begin(&mut self) -> Result<PathBuf, LabError> {
        if self.made == 0 && self.folder.exists() {
            fs::remove_dir_all(&self.folder).map_err(of_file("empty", &self.folder))?;
        }
        let folder = self.folder.join((FIRST + self.made).to_string());
        self.made += 1;
        fs::create_dir_all(&folder).map_err(of_file("make", &folder))?;
        Ok(folder)
    }

    /// The copies of this folder are all there: removes all others.
    ///
    /// # Errors
    ///
    /// When they cannot be removed.
    pub(crate) fn settled(&self, folder: &Path) -> Result<(), LabError> {
        let entries = fs::read_dir(&self.folder).map_err(of_file("read", &self.folder))?;
        for entry in entries {
            let path = entry.map_err(of_file("read", &self.folder))?.path();
            if path != folder {
                fs::remove_dir_all(&path).map_err(of_file("empty", &path))?;
            }
        }
        Ok(())
    }
}

impl Drop for Copies {
    fn drop(&mut self) {
        // Best effort: what is left is under the store's own folder and goes with the next
        // experiment.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_copies_are_made_while_the_old_ones_are_there_at_paths_of_one_length() {
        let scratch = tempfile::tempdir().expect("a folder");
        let within = scratch.path().join("run");
        fs::create_dir_all(within.join("left over")).expect("a folder");
        let mut copies = Copies::within(within.clone());
        let first = copies.begin().expect("a folder");
        assert!(!within.join("left over").exists());
        fs::write(first.join("image"), "x").expect("a file");
        copies.settled(&first).expect("nothing to remove");
        let second = copies.begin().expect("a folder");
        assert!(first.join("image").exists());
        assert_ne!(first, second);
        assert_eq!(first.as_os_str().len(), second.as_os_str().len());
        copies.settled(&second).expect("the first is removed");
        assert!(second.exists() && !first.exists());
        // One that was begun and given up goes as well.
        let given_up = copies.begin().expect("a folder");
        let third = copies.begin().expect("a folder");
        copies.settled(&third).expect("both are removed");
        assert!(third.exists() && !given_up.exists() && !second.exists());
        drop(copies);
        assert!(!within.exists());
    }
}
