//! The images of one block: layouts A and B, and for each group one with its places from A and all
//! others from B.

use std::fs;
use std::path::{Path, PathBuf};

use proofmark_conclude::NextAttributionBlock;
use proofmark_layout::{Mix, SlotSet};
use rayon::prelude::*;

use crate::LabError;

/// One block in so many has its images held against the build by content too.
const SAMPLE: u32 = 8;

/// Where the images of a block are made.
pub(super) struct Images {
    set: SlotSet,
    folder: PathBuf,
}

impl Images {
    pub(super) fn new(set: SlotSet, folder: PathBuf) -> Images {
        Images { set, folder }
    }

    /// Where each function starts in A and in B.
    pub(super) fn starts(&self, next: &NextAttributionBlock) -> [Vec<u64>; 2] {
        [next.one, next.other].map(|seed| self.set.starts(&Mix::of(seed)))
    }

    /// Links the layouts of a block side by side, in the place of those before, and checks them.
    pub(super) fn make(&self, next: &NextAttributionBlock) -> Result<Vec<PathBuf>, LabError> {
        let folder = &self.folder;
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(at("empty", folder))?;
        }
        fs::create_dir_all(folder).map_err(at("make", folder))?;
        let mut mixes = vec![Mix::of(next.one), Mix::of(next.other)];
        mixes.extend(next.groups.iter().map(|group| Mix {
            seed: next.other,
            kept: group.iter().map(|function| function.place()).collect(),
            kept_seed: next.one,
        }));
        if next.others {
            // All of the groups from B, and everything else from A.
            let groups = next.groups.iter().flatten();
            mixes.push(Mix {
                seed: next.one,
                kept: groups.map(|function| function.place()).collect(),
                kept_seed: next.other,
            });
        }
        mixes
            .par_iter()
            .enumerate()
            .map(|(number, mix)| {
                let image = self.set.link(mix, &folder.join(number.to_string()))?;
                self.set.verify(std::slice::from_ref(&image))?;
                if number == 0 && next.index.is_multiple_of(SAMPLE) {
                    self.set.verify_content(&image)?;
                }
                Ok(image.path)
            })
            .collect()
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
