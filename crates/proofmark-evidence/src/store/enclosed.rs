//! The files that a bundle encloses, held against the records that name them.

use std::collections::HashSet;

use proofmark_terms::{CaptureId, Digest};

use super::Store;
use super::bundled::{Bundled, ChainSort};
use super::uses::digests;
use crate::error::BundleError;
use crate::log::bundle::Enclosures;
use crate::record::{Build, BuildOrigin};
use crate::{ExperimentId, StoreError};

/// What a bundle encloses, each of it named by a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Enclosed {
    /// Images that the builds of experiments name: programs and libraries.
    pub images: u32,
    /// Captured builds.
    pub captures: u32,
    /// Records and files of captured builds that are no such images.
    pub objects: u32,
    /// Bytes of all files, unpacked.
    pub bytes: u64,
}

impl Store {
    /// Reads all that the bundle of these records encloses, and holds it against the records: each
    /// file is what its digest says, and an experiment or a capture names it.
    ///
    /// # Errors
    ///
    /// A file is damaged, or nothing names it; a record is damaged.
    pub fn enclosed(&self, enclosures: &Enclosures) -> Result<Enclosed, BundleError> {
        let (images, ids) = self.named_by_experiments()?;
        let mut of_captures: HashSet<Digest> = HashSet::new();
        for capture in enclosures.captures() {
            if !ids.contains(&capture.id) {
                return Err(enclosures.damaged(format!(
                    "it encloses the capture {}, and no experiment in it has such a build",
                    capture.id
                )));
            }
            let record = enclosures.read(&capture.record)?;
            of_captures.insert(capture.record.clone());
            of_captures.extend(digests(&String::from_utf8_lossy(&record)));
        }
        let mut found = Enclosed {
            captures: count(enclosures.captures().len()),
            ..Enclosed::default()
        };
        for file in enclosures.files() {
            found.bytes = found.bytes.saturating_add(file.bytes);
            if images.contains(&file.digest) {
                found.images += 1;
            } else if of_captures.contains(&file.digest) {
                found.objects += 1;
            } else {
                return Err(enclosures.damaged(format!(
                    "it encloses file {}, which no record in it names",
                    file.digest
                )));
            }
        }
        enclosures.check()?;
        Ok(found)
    }

    /// The builds of all experiments among these chains, each once.
    ///
    /// # Errors
    ///
    /// A record is damaged.
    pub fn builds_of(&self, bundled: &Bundled) -> Result<Vec<Build>, StoreError> {
        let chains = bundled.chains.iter();
        let experiments = chains.filter(|chain| chain.sort == ChainSort::Experiment);
        let mut builds: Vec<Build> = Vec::new();
        for chain in experiments {
            let id: ExperimentId = self.named(chain.id.as_str())?;
            for build in self.experiment(&id)?.builds {
                let known = |one: &Build| one.images == build.images && one.origin == build.origin;
                if !builds.iter().any(known) {
                    builds.push(build);
                }
            }
        }
        Ok(builds)
    }

    /// Digests of all images, and all captures, of the builds of all experiments.
    fn named_by_experiments(&self) -> Result<(HashSet<Digest>, HashSet<CaptureId>), StoreError> {
        let (mut images, mut captures) = (HashSet::new(), HashSet::new());
        for (chain, sort) in self.chains()? {
            if sort != ChainSort::Experiment {
                continue;
            }
            let id: ExperimentId = self.named(chain.as_str())?;
            for build in self.experiment(&id)?.builds {
                images.insert(build.images.program.digest);
                images.extend(build.images.libraries.into_iter().map(|image| image.digest));
                if let BuildOrigin::Captured { ids, .. } = build.origin {
                    captures.extend(ids);
                }
            }
        }
        Ok((images, captures))
    }
}

fn count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
