//! The images of a sweep: made when they are first wanted, kept as long as there is room.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use proofmark_layout::PlacedSet;
use rayon::prelude::*;

use crate::LabError;

/// Most bytes of images that are kept; others are linked again for each block.
const ROOM: u64 = 1 << 30;
/// One image in so many is held against the build by content too.
const SAMPLE: u64 = 16;

/// The images of a sweep.
pub(super) struct Images {
    set: PlacedSet,
    folder: PathBuf,
    made: HashMap<u64, PathBuf>,
    bytes: u64,
}

impl Images {
    /// No image yet; they will lie in `folder`.
    pub(super) fn new(set: PlacedSet, folder: PathBuf) -> Result<Images, LabError> {
        fs::create_dir_all(&folder).map_err(at("make", &folder))?;
        Ok(Images {
            set,
            folder,
            made: HashMap::new(),
            bytes: 0,
        })
    }

    pub(super) fn set(&self) -> &PlacedSet {
        &self.set
    }

    /// The images with the function at these addresses, linked side by side where they are not
    /// there, and checked.
    pub(super) fn at(&mut self, addresses: &[u64]) -> Result<Vec<PathBuf>, LabError> {
        let mut lacking: Vec<u64> = addresses
            .iter()
            .copied()
            .filter(|address| !self.made.contains_key(address))
            .collect();
        lacking.sort_unstable();
        lacking.dedup();
        if self.bytes > ROOM {
            self.clear(addresses)?;
        }
        let (set, folder) = (&self.set, &self.folder);
        let made: Vec<(u64, PathBuf, u64)> = lacking
            .par_iter()
            .map(|&address| {
                let path = folder.join(format!("{address:016x}"));
                let image = set.link(address, &path)?;
                set.verify(std::slice::from_ref(&image))?;
                if address % SAMPLE == 0 {
                    set.verify_content(&image)?;
                }
                let size = fs::metadata(&path).map_err(at("look at", &path))?.len();
                Ok((address, path, size))
            })
            .collect::<Result<_, LabError>>()?;
        for (address, path, size) in made {
            self.bytes += size;
            self.made.insert(address, path);
        }
        let path = |address: &u64| {
            let lacking = || LabError::Fault(format!("no image was made for {address:#x}"));
            self.made.get(address).cloned().ok_or_else(lacking)
        };
        addresses.iter().map(path).collect()
    }

    /// Removes all images but these.
    fn clear(&mut self, keep: &[u64]) -> Result<(), LabError> {
        let anchor = self.set.as_shipped();
        let mut left = 0;
        for (address, path) in std::mem::take(&mut self.made) {
            if address == anchor || keep.contains(&address) {
                left += fs::metadata(&path).map_err(at("look at", &path))?.len();
                self.made.insert(address, path);
            } else {
                fs::remove_file(&path).map_err(at("remove", &path))?;
            }
        }
        self.bytes = left;
        Ok(())
    }
}

fn at(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> LabError + use<> {
    let path = path.to_owned();
    move |source| LabError::File {
        action,
        path,
        source,
    }
}
