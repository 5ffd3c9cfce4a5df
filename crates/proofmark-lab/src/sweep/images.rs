//! The images of a sweep: made when they are first wanted, kept as long as there is room.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use proofmark_layout::Spot;
use rayon::prelude::*;

use super::moving::Moving;
use crate::LabError;

/// Most bytes of images that are kept; others are linked again for each block.
const ROOM: u64 = 1 << 30;
/// One image in so many is held against the build by content too.
const SAMPLE: u64 = 16;

/// The images of a sweep.
pub(super) struct Images {
    set: Moving,
    folder: PathBuf,
    made: HashMap<Spot, PathBuf>,
    bytes: u64,
}

impl Images {
    /// No image yet; they will lie in `folder`.
    pub(super) fn new(set: Moving, folder: PathBuf) -> Result<Images, LabError> {
        fs::create_dir_all(&folder).map_err(at("make", &folder))?;
        Ok(Images {
            set,
            folder,
            made: HashMap::new(),
            bytes: 0,
        })
    }

    pub(super) fn set(&self) -> &Moving {
        &self.set
    }

    /// The images with what moves at these places, linked side by side where they are not there,
    /// and checked.
    pub(super) fn at(&mut self, spots: &[Spot]) -> Result<Vec<PathBuf>, LabError> {
        let mut lacking: Vec<Spot> = spots
            .iter()
            .copied()
            .filter(|spot| !self.made.contains_key(spot))
            .collect();
        lacking.sort_unstable();
        lacking.dedup();
        if self.bytes > ROOM {
            self.clear(spots)?;
        }
        let (set, folder) = (&self.set, &self.folder);
        let made: Vec<(Spot, PathBuf, u64)> = lacking
            .par_iter()
            .map(|&spot| {
                let other = spot.other.unwrap_or(0);
                let path = folder.join(format!("{:016x}-{other:016x}", spot.address));
                let image = set.link(spot, &path)?;
                set.verify(&image)?;
                if is_sampled(spot) {
                    set.verify_content(&image)?;
                }
                let size = fs::metadata(&path).map_err(at("look at", &path))?.len();
                Ok((spot, path, size))
            })
            .collect::<Result<_, LabError>>()?;
        for (spot, path, size) in made {
            self.bytes += size;
            self.made.insert(spot, path);
        }
        let path = |spot: &Spot| {
            let lacking = || LabError::Fault(format!("no image was made for {:#x}", spot.address));
            self.made.get(spot).cloned().ok_or_else(lacking)
        };
        spots.iter().map(path).collect()
    }

    /// Removes all images but these.
    fn clear(&mut self, keep: &[Spot]) -> Result<(), LabError> {
        let anchor = self.set.as_shipped();
        let mut left = 0;
        for (spot, path) in std::mem::take(&mut self.made) {
            if spot == anchor || keep.contains(&spot) {
                left += fs::metadata(&path).map_err(at("look at", &path))?.len();
                self.made.insert(spot, path);
            } else {
                fs::remove_file(&path).map_err(at("remove", &path))?;
            }
        }
        self.bytes = left;
        Ok(())
    }
}

/// Whether an image is held against the build by content too: one in so many, as evenly as steps
/// allow.
fn is_sampled(spot: Spot) -> bool {
    let steps = spot.address ^ spot.other.unwrap_or(0) >> 4;
    steps.is_multiple_of(SAMPLE)
}

fn at(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> LabError + use<> {
    let path = path.to_owned();
    move |source| LabError::File {
        action,
        path,
        source,
    }
}
