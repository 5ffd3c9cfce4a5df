//! Images made ahead of time, on a thread of their own, while the block before them is measured.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use proofmark_evidence::record::{Experiment, LayoutControl};
use proofmark_layout::{Elsewhere, LayoutSet, Matching, Recipe};

use crate::LabError;
use crate::aside::aside;
use crate::cache::Cache;
use crate::draws::Draws;
use crate::request::Subject;

/// Blocks made before they are asked for: one is enough to keep the other core from waiting, and more would only fill the disk.
const AHEAD: usize = 1;

/// The drawn images of one block, one for each build.
#[derive(Debug)]
struct Made {
    block: Option<u32>,
    images: Vec<PathBuf>,
    elsewhere: Vec<Elsewhere>,
}

/// Makes the images of block after block.
#[derive(Debug)]
pub(crate) struct Maker {
    made: Receiver<Result<Made, LabError>>,
}

/// What a maker works from.
struct Job {
    set: LayoutSet,
    /// For each build, the index of its first recipe in the set, and how many there are.
    recipes: Vec<(usize, usize)>,
    independent: bool,
    draws: Draws,
    cache: Cache,
    folder: PathBuf,
    /// What the images depend on beside the seed.
    key: String,
}

impl Maker {
    /// Starts to make images, from the pilot's block or from `first` on. `None` where layouts are not varied.
    pub(crate) fn start(
        experiment: &Experiment,
        subjects: &[Subject],
        folder: &Path,
        cache: Cache,
        first: Option<u32>,
        core: Option<u32>,
    ) -> Result<Option<Self>, LabError> {
        let Some(job) = Job::new(experiment, subjects, folder, cache)? else {
            return Ok(None);
        };
        let max = experiment.design.max_blocks;
        let (send, made) = sync_channel(AHEAD);
        let work = move || {
            aside(core);
            let blocks = first
                .is_none()
                .then_some(None)
                .into_iter()
                .chain((first.unwrap_or(0)..max).map(Some));
            for block in blocks {
                let result = job.make(block);
                let failed = result.is_err();
                if send.send(result).is_err() || failed {
                    break;
                }
            }
        };
        thread::Builder::new()
            .name("images".to_owned())
            .spawn(work)
            .map_err(|source| LabError::File {
                action: "start a thread for",
                path: folder.to_owned(),
                source,
            })?;
        Ok(Some(Maker { made }))
    }

    /// The images of a block, and what matched layouts could not keep at one address in them; blocks are asked for in order.
    pub(crate) fn images(
        &self,
        block: Option<u32>,
    ) -> Result<(Vec<PathBuf>, Vec<Elsewhere>), LabError> {
        loop {
            let made = self
                .made
                .recv()
                .map_err(|_| LabError::Plan("no image was made for the next block".to_owned()))??;
            if made.block == block {
                return Ok((made.images, made.elsewhere));
            }
        }
    }
}

impl Job {
    fn new(
        experiment: &Experiment,
        subjects: &[Subject],
        folder: &Path,
        cache: Cache,
    ) -> Result<Option<Self>, LabError> {
        let (matching, population) = match experiment.layouts {
            LayoutControl::AsShipped { .. } => return Ok(None),
            LayoutControl::Matched { population } => (Matching::Matched, population),
            LayoutControl::Jittered { population } => (Matching::Jittered, population),
            LayoutControl::Independent { population, .. } => (Matching::Independent, population),
        };
        let mut all: Vec<&Recipe> = Vec::new();
        let mut recipes = Vec::new();
        let mut key = blake3::Hasher::new_derive_key("proofmark 2026 images of a set of builds");
        key.update(format!("{matching:?} {population:?} {}", env!("CARGO_PKG_VERSION")).as_bytes());
        for subject in subjects {
            let links = subject.links().unwrap_or_default();
            recipes.push((all.len(), links.len()));
            for link in links {
                all.push(&link.recipe);
                key.update(link.image_hash.as_bytes());
                for input in &link.recipe.inputs {
                    key.update(input.hash.as_bytes());
                }
            }
        }
        let set = LayoutSet::prepare(&all, matching, population, &folder.join("set"))?;
        Ok(Some(Job {
            set,
            recipes,
            independent: matching == Matching::Independent,
            draws: Draws::new(experiment.seed),
            cache,
            folder: folder.to_owned(),
            key: key.finalize().to_hex().to_string(),
        }))
    }

    /// Links the image of each build in the block's layout, and checks that the layouts keep their promises.
    fn make(&self, block: Option<u32>) -> Result<Made, LabError> {
        let layout_seed = self.draws.layout_seed(block);
        let mut made = Vec::new();
        let mut fresh = Vec::new();
        for (build, &(first, repeats)) in self.recipes.iter().enumerate() {
            let recipe = first + self.draws.repeat(block, build, repeats);
            let seed = if self.independent {
                Draws::independent_seed(layout_seed, build)
            } else {
                layout_seed
            };
            let key = format!("{}-{recipe}-{seed:016x}", self.key);
            let place = self.folder.join(format!(
                "made-{}-{build}",
                block.map_or_else(|| "pilot".to_owned(), |index| index.to_string())
            ));
            if !self.cache.fetch(&key, &place)? {
                fresh.push(self.set.link(recipe, seed, &place)?);
                self.cache.keep(&key, &place);
            }
            made.push(place);
        }
        // Images from the cache were checked when they were made.
        let complete = fresh.len() == self.recipes.len();
        let elsewhere = if complete {
            self.set.verify(&fresh)?.elsewhere
        } else {
            Vec::new()
        };
        Ok(Made {
            block,
            images: made,
            elsewhere,
        })
    }
}
