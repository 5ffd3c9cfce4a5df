//! Images made ahead of time, on a thread of their own, while the block before them is measured.

mod cache;
mod kits;
mod padded;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use proofmark_conclude::Draws;
use proofmark_evidence::record::Experiment;
use proofmark_layout::{Elsewhere, Undrawn};
use proofmark_terms::BuildIndex;

use crate::beside::aside;
use crate::builds::Subject;
use crate::error::LabError;
pub(crate) use cache::Cache;
use kits::{Kits, Place};

/// Blocks made before they are asked for: one is enough to keep the other core from waiting, and
/// more would only fill the disk.
const AHEAD: usize = 1;

/// The drawn images of one block, one for each build.
#[derive(Debug)]
struct Made {
    block: Option<u32>,
    images: Vec<Drawn>,
    elsewhere: Vec<Elsewhere>,
    took: Duration,
}

/// The drawn image of one build.
#[derive(Debug)]
enum Drawn {
    At(PathBuf),
    /// The build took no further part when the block was made.
    Unwanted,
    Failed(LabError),
}

/// Makes the images of block after block. Several benchmarks may take the images of one block, one
/// after the other.
pub(crate) struct Maker {
    job: Arc<Job>,
    coming: Coming,
    at_hand: Option<Made>,
    max: u32,
    core: Option<u32>,
    benchmarks: u32,
}

/// Blocks that a thread makes. When it is dropped nobody writes any longer into the folder of the
/// images: what comes next may empty it.
struct Coming {
    /// None once nothing more is wanted.
    made: Option<Receiver<Result<Made, LabError>>>,
    thread: Option<JoinHandle<()>>,
}

impl Coming {
    fn next(&self) -> Result<Result<Made, LabError>, RecvError> {
        self.made.as_ref().ok_or(RecvError)?.recv()
    }
}

impl Drop for Coming {
    fn drop(&mut self) {
        // Its next block finds nobody who takes it, and that ends it.
        self.made = None;
        if let Some(thread) = self.thread.take() {
            // What it died of was told to whoever asked for its block.
            let _ = thread.join();
        }
    }
}

/// What a maker is to make.
pub(crate) struct Making<'a> {
    pub(crate) experiment: &'a Experiment,
    pub(crate) subjects: &'a [Subject],
    /// Where the images go.
    pub(crate) folder: &'a Path,
    pub(crate) cache: Cache,
    /// The first block that there are no images for; none where the pilot's are due.
    pub(crate) first: Option<u32>,
    /// The core that is measured.
    pub(crate) core: Option<u32>,
    /// So many benchmarks share the images.
    pub(crate) benchmarks: u32,
}

/// What a maker works from.
struct Job {
    kits: Kits,
    draws: Draws,
    cache: Cache,
    folder: PathBuf,
    wanted: Arc<[AtomicBool]>,
}

impl Maker {
    /// Starts to make images; with builds of which no image can be made, and why. `None` where
    /// layouts are not varied.
    pub(crate) fn start(making: Making<'_>) -> Result<Option<(Self, Vec<LabError>)>, LabError> {
        let Making {
            experiment,
            subjects,
            folder,
            cache,
            first,
            core,
            benchmarks,
        } = making;
        let control = &experiment.layouts;
        if !control.is_drawn() {
            return Ok(None);
        }
        let (kits, broken) = Kits::prepare(control, subjects, &folder.join("set"))?;
        let wanted: Arc<[AtomicBool]> = subjects.iter().map(|_| AtomicBool::new(true)).collect();
        let job = Job {
            kits,
            draws: Draws::new(experiment.seed),
            cache,
            folder: folder.to_owned(),
            wanted: Arc::clone(&wanted),
        };
        for error in &broken {
            if let LabError::OfBuild { build, .. } = error {
                job.want(*build, false);
            }
        }
        let max = experiment.design.max_blocks;
        let job = Arc::new(job);
        let maker = Maker {
            coming: Job::start(&job, first, max, core)?,
            job,
            at_hand: None,
            max,
            core,
            benchmarks,
        };
        Ok(Some((maker, broken)))
    }

    /// Makes images of these builds only, from the next block on that has not been begun.
    pub(crate) fn want(&self, builds: &[BuildIndex]) {
        for build in BuildIndex::all(self.job.wanted.len()) {
            self.job.want(build, builds.contains(&build));
        }
    }

    /// Goes on to the images of a block, where they are not at hand already, and says what matched
    /// layouts could not keep at one address in them. Asking for blocks in order is fast.
    pub(crate) fn advance(&mut self, block: Option<u32>) -> Result<&[Elsewhere], LabError> {
        if self.at_hand.as_ref().is_some_and(|made| made.block > block) {
            self.clear();
            self.coming = Job::start(&self.job, block, self.max, self.core)?;
        }
        while self.at_hand.as_ref().is_none_or(|made| made.block != block) {
            self.clear();
            let lost = |_| LabError::Fault("no image was made for the next block".to_owned());
            self.at_hand = Some(self.coming.next().map_err(lost)??);
        }
        Ok(self
            .at_hand
            .as_ref()
            .map_or(&[], |made| made.elsewhere.as_slice()))
    }

    /// Data that all layouts leave where the linker puts it, and the builds because of which.
    pub(crate) fn undrawn(&self) -> &[(BuildIndex, Undrawn)] {
        self.job.kits.undrawn()
    }

    /// What each benchmark's share is of the time that the images at hand took to make.
    pub(crate) fn took(&self) -> Duration {
        let took = self
            .at_hand
            .as_ref()
            .map_or(Duration::ZERO, |made| made.took);
        took / self.benchmarks.max(1)
    }

    /// The image of a build in the block at hand.
    pub(crate) fn image(&mut self, build: BuildIndex) -> Result<PathBuf, LabError> {
        let block = self.at_hand.as_ref().and_then(|made| made.block);
        let image = self
            .at_hand
            .as_mut()
            .and_then(|made| made.images.get_mut(build.place()));
        let none =
            || LabError::Fault(format!("no image was made of build {build}")).of_build(build);
        match image {
            Some(Drawn::At(path)) => Ok(path.clone()),
            Some(image @ Drawn::Unwanted) => {
                // It was given up when the block was made, and is wanted again.
                let path = self.job.make_one(block, build)?.0;
                *image = Drawn::At(path.clone());
                Ok(path)
            }
            None => Err(none()),
            Some(failed @ Drawn::Failed(_)) => match std::mem::replace(failed, Drawn::Unwanted) {
                Drawn::Failed(error) => Err(error.of_build(build)),
                Drawn::At(_) | Drawn::Unwanted => Err(none()),
            },
        }
    }

    /// Removes the images at hand; the next block has its own.
    fn clear(&mut self) {
        let images = self.at_hand.take().map(|made| made.images);
        for image in images.unwrap_or_default() {
            if let Drawn::At(path) = image {
                // A left-over is removed with the folder at the end.
                let _ = std::fs::remove_file(path);
            }
        }
    }
}

impl Job {
    /// Whether a build's images are made.
    fn want(&self, build: BuildIndex, wanted: bool) {
        if let Some(flag) = build.of(&self.wanted) {
            flag.store(wanted, Ordering::Relaxed);
        }
    }

    /// Works through the blocks on a thread of its own.
    fn start(
        job: &Arc<Job>,
        first: Option<u32>,
        max: u32,
        core: Option<u32>,
    ) -> Result<Coming, LabError> {
        let job = Arc::clone(job);
        let folder = job.folder.clone();
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
        let thread = thread::Builder::new()
            .name("images".to_owned())
            .spawn(work)
            .map_err(|source| LabError::File {
                action: "start a thread for",
                path: folder,
                source,
            })?;
        Ok(Coming {
            made: Some(made),
            thread: Some(thread),
        })
    }

    /// Links the image of each build in the block's layout, and checks that the layouts keep their
    /// promises.
    fn make(&self, block: Option<u32>) -> Result<Made, LabError> {
        let began = Instant::now();
        let mut images = Vec::new();
        let mut fresh = Vec::new();
        for (build, wanted) in BuildIndex::each(&self.wanted) {
            if !wanted.load(Ordering::Relaxed) {
                images.push(Drawn::Unwanted);
                continue;
            }
            match self.make_one(block, build) {
                Ok((path, linked)) => {
                    fresh.extend(linked);
                    images.push(Drawn::At(path));
                }
                Err(error) => images.push(Drawn::Failed(error)),
            }
        }
        // Images from the cache were checked when they were made.
        let made = images.iter().filter(|image| matches!(image, Drawn::At(_)));
        let elsewhere = if made.count() == fresh.len() {
            self.kits.verify_together(&fresh)?
        } else {
            Vec::new()
        };
        Ok(Made {
            block,
            images,
            elsewhere,
            took: began.elapsed(),
        })
    }

    /// Puts the image of a build in its place; one that was newly linked is given back, to be
    /// checked with the others.
    fn make_one(
        &self,
        block: Option<u32>,
        build: BuildIndex,
    ) -> Result<(PathBuf, Option<proofmark_layout::LinkedImage>), LabError> {
        let name = block.map_or_else(|| "pilot".to_owned(), |index| index.to_string());
        let place = Place {
            build,
            repeat: self.draws.repeat(block, build, self.kits.repeats(build)),
            seed: self.kits.seed(self.draws.layout_seed(block), build),
            path: self.folder.join(format!("made-{name}-{build}")),
        };
        let linked = self.kits.make(&place, &self.cache)?;
        Ok((place.path, linked))
    }
}
