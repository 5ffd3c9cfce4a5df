//! Sets of layouts in which code is moved within the functions that differ: each seed has a set of
//! its own, for its objects are assembled anew.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use proofmark_layout::{Captured, LayoutSet, Within};
use tempfile::TempDir;

use crate::error::LabError;

/// The sets of all seeds; the last one is kept, for the builds of a block share it.
pub(super) struct PaddedSets {
    within: Within,
    folder: PathBuf,
    last: Mutex<Option<Arc<PaddedSet>>>,
}

/// The set of one seed.
pub(super) struct PaddedSet {
    seed: u64,
    pub(super) set: LayoutSet,
    /// What it is made from; removed with it.
    _folder: TempDir,
}

impl PaddedSets {
    /// The functions of the builds of a set that differ.
    pub(super) fn of(
        base: &LayoutSet,
        builds: &[Captured<'_>],
        folder: &Path,
    ) -> Result<PaddedSets, LabError> {
        std::fs::create_dir_all(folder).map_err(|source| LabError::File {
            action: "make",
            path: folder.to_owned(),
            source,
        })?;
        Ok(PaddedSets {
            within: Within::of(base, builds, folder)?,
            folder: folder.to_owned(),
            last: Mutex::default(),
        })
    }

    /// The set of a seed.
    pub(super) fn of_seed(&self, base: &LayoutSet, seed: u64) -> Result<Arc<PaddedSet>, LabError> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = last.as_ref().filter(|known| known.seed == seed) {
            return Ok(Arc::clone(known));
        }
        let folder = tempfile::Builder::new()
            .prefix("within")
            .tempdir_in(&self.folder)
            .map_err(|source| LabError::File {
                action: "make a folder in",
                path: self.folder.clone(),
                source,
            })?;
        let padded = Arc::new(PaddedSet {
            seed,
            set: self.within.set(base, seed, folder.path())?,
            _folder: folder,
        });
        *last = Some(Arc::clone(&padded));
        Ok(padded)
    }
}
