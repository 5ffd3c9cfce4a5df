//! The real world of an experiment on one build: fresh copies of images, runs in turn on the
//! instrument, outputs held against those of the first image.

use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use proofmark_conclude::{Draws, RoundAt};
use proofmark_evidence::record::{Benchmark, Inputs, NoIdleCore, Run, SweepRound};
use proofmark_measure::{Launch, Outcome, Turns};
use proofmark_terms::{BuildIndex, Digest, ImageIndex};

use crate::LabError;
use crate::bench::{BenchParts, Runner, not_idle};
use crate::command;
use crate::inputs::Watched;
use crate::output::{Heard, Speaker, run_of, varies};
use crate::places::{Copies, Staged, Take};
use crate::prepare::prepare;

/// Where the images of a block are put, and run.
pub(crate) struct AloneBench {
    benchmark: Benchmark,
    parts: BenchParts,
    runner: Runner,
    watched: Watched,
    heard: Heard,
    draws: Draws,
    pinned: bool,
    copies: Copies,
    placed: Vec<Placed>,
}

/// An image in its place.
struct Placed {
    /// What people call it.
    name: String,
    staged: Staged,
}

/// An image that is to be put in its place.
#[derive(Clone, Debug)]
pub(crate) struct Put {
    /// What people call it.
    pub(crate) name: String,
    pub(crate) image: PathBuf,
}

impl AloneBench {
    pub(crate) fn new(benchmark: &Benchmark, parts: BenchParts, seed: u64) -> AloneBench {
        let instrument = Rc::clone(&parts.instrument);
        AloneBench {
            benchmark: benchmark.clone(),
            runner: Runner::new(instrument, benchmark, parts.stop.clone()),
            watched: Watched::new(&Inputs::default()),
            heard: Heard::new(benchmark),
            draws: Draws::new(seed),
            pinned: true,
            copies: Copies::within(parts.folder.clone()),
            placed: Vec::new(),
            parts,
        }
    }

    /// From now on the draws of this seed are taken, and these files watched.
    pub(crate) fn begin(&mut self, seed: u64, inputs: &Inputs, pinned: bool) {
        self.draws = Draws::new(seed);
        self.watched = Watched::new(inputs);
        self.pinned = pinned;
    }

    /// Whether runs are kept on one core.
    pub(crate) fn pin(&mut self, pinned: bool) {
        self.pinned = pinned;
    }

    /// What people must know of the machine.
    pub(crate) fn no_idle_core(&self) -> Option<NoIdleCore> {
        not_idle(&self.parts.core).filter(|_| self.pinned)
    }

    pub(crate) fn runner(&self) -> &Runner {
        &self.runner
    }

    /// Puts fresh copies of these images in place for the rounds from `first` on, the anchor first;
    /// gives their BLAKE3.
    ///
    /// Copies are made in a drawn order, and while those of before are there: which physical pages
    /// an image gets is then a draw, each time for itself, and so is its place on the disk.
    pub(crate) fn place(
        &mut self,
        first: RoundAt,
        images: &[Put],
    ) -> Result<Vec<Digest>, LabError> {
        if self.parts.stop.requested() {
            return Err(LabError::Interrupted);
        }
        let folder = self.copies.begin()?;
        let places = &self.parts.places;
        let mut placed = Vec::with_capacity(images.len());
        // Numbers of one length, and so paths.
        for (number, image) in (1000_u32..).zip(self.draws.copies(first, images.len())) {
            let (put, folder) = (&images[image], folder.join(number.to_string()));
            let staged = places.stage(Take::first(BuildIndex::BASE), &put.image, &folder)?;
            let name = put.name.clone();
            placed.push((image, Placed { name, staged }));
        }
        placed.sort_by_key(|(image, _)| *image);
        self.placed = placed.into_iter().map(|(_, placed)| placed).collect();
        self.copies.settled(&folder)?;
        let hashes = self.placed.iter().map(|placed| placed.staged.hash.clone());
        Ok(hashes.collect())
    }

    /// One run of each image that is placed, in an order drawn for the round.
    pub(crate) fn round(&mut self, at: RoundAt) -> Result<SweepRound, LabError> {
        self.inputs_hold()?;
        let padding = self.draws.padding(at);
        let launches: Vec<Launch> = (0..self.placed.len())
            .map(|image| self.launch(image, padding))
            .collect::<Result<_, LabError>>()?;
        if !self.runner.is_settled() {
            self.runner.settle(&launches)?;
        }
        self.renew()?;
        let all: Vec<usize> = (0..launches.len()).collect();
        let order = self.draws.order(at, &all);
        let turns = Turns::Interleaved {
            order: order.clone(),
        };
        let outcomes = self.runner.round(&launches, &turns)?;
        self.watched.check()?;
        let mut runs = Vec::with_capacity(outcomes.len());
        for (image, outcome) in outcomes.iter().enumerate() {
            runs.push(self.accept(image, outcome, &outcomes)?);
        }
        Ok(SweepRound {
            order: order.into_iter().map(ImageIndex::at).collect(),
            runs,
        })
    }

    /// The launch of an image that is placed.
    pub(crate) fn launch(&self, image: usize, padding: usize) -> Result<Launch, LabError> {
        let lacking = || LabError::Fault(format!("image {image} is not placed"));
        let staged = &self.placed.get(image).ok_or_else(lacking)?.staged;
        let core = self.parts.core.core().filter(|_| self.pinned);
        Ok(Launch {
            view: staged.view.clone(),
            ..command::launch(&self.benchmark, &staged.path, padding, core)?
        })
    }

    /// What is run.
    pub(crate) fn benchmark(&self) -> &Benchmark {
        &self.benchmark
    }

    /// A launch of the first image for a run that is not timed, the path at which the image lies in
    /// it, and the file that lies there.
    pub(crate) fn sampled_launch(&self) -> Result<(Launch, PathBuf, PathBuf), LabError> {
        let launch = self.launch(0, 0)?;
        self.renew()?;
        let lacking = || LabError::Fault("no image is placed".to_owned());
        let staged = &self.placed.first().ok_or_else(lacking)?.staged;
        Ok((launch, staged.path.clone(), staged.file.clone()))
    }

    /// The launch of an image for a run that is not timed and that the runner does not prepare for.
    pub(super) fn launch_anew(&self, image: usize) -> Result<Launch, LabError> {
        prepare(&self.benchmark)?;
        self.renew()?;
        self.launch(image, 0)
    }

    /// What came of one run of an image by itself, whatever it was.
    pub(crate) fn outcome(&mut self, image: usize) -> Result<Outcome, LabError> {
        self.renew()?;
        let launches = [self.launch(image, 0)?];
        if !self.runner.is_settled() {
            self.runner.settle(&launches)?;
        }
        let turns = Turns::Interleaved { order: vec![0] };
        let mut outcomes = self.runner.round(&launches, &turns)?;
        outcomes
            .pop()
            .ok_or_else(|| LabError::Fault("a run had no outcome".to_owned()))
    }

    /// Whether two runs did the same, as outputs are compared.
    pub(crate) fn alike(&self, one: &Outcome, other: &Outcome) -> Result<bool, LabError> {
        let path = self.placed.first().map(|placed| &placed.staged.path);
        let path = path.map_or(Path::new(""), PathBuf::as_path);
        let printed = !varies(&self.benchmark, path, &one.stdout, &other.stdout)?;
        Ok(one.end == other.end && printed)
    }

    /// What the runs read is as it was. What is prepared before each run is looked at as a run
    /// finds it.
    fn inputs_hold(&mut self) -> Result<(), LabError> {
        match self.watched.check() {
            Err(LabError::InputChanged { .. }) if self.benchmark.prepare.is_some() => {
                prepare(&self.benchmark)?;
                self.watched.check()
            }
            other => other,
        }
    }

    /// Makes the copies of the working folder anew, where there are such.
    fn renew(&self) -> Result<(), LabError> {
        let mut copies = self
            .placed
            .iter()
            .filter_map(|placed| placed.staged.fresh.as_ref());
        copies.try_for_each(|fresh| fresh.renew())
    }

    /// Holds a run against what it must be: that of the anchor.
    fn accept(
        &mut self,
        image: usize,
        outcome: &Outcome,
        all: &[Outcome],
    ) -> Result<Run, LabError> {
        let placed = &self.placed[image];
        let speaker = Speaker {
            build: BuildIndex::at(image),
            name: &placed.name,
            image: &placed.staged.path,
        };
        let keep = || match self.keep(image) {
            Some(kept) => command::shown(&self.benchmark, &kept),
            None => command::shown(&self.benchmark, &placed.staged.path),
        };
        let mut heard = self.heard.clone();
        let run = run_of(&self.benchmark, &mut heard, speaker, outcome, keep);
        match run {
            Ok(run) => {
                self.heard = heard;
                Ok(run)
            }
            Err(error) if image > 0 && error.is_of_a_run() => {
                Err(self.by_address(image, error, all))
            }
            Err(error) => Err(error),
        }
    }

    /// A run at one address did what the anchor's did not: whether it does so again, and the anchor
    /// does not, tells whose doing it is. Both images are kept.
    fn by_address(&mut self, image: usize, error: LabError, all: &[Outcome]) -> LabError {
        let (Ok(anchor), Ok(again)) = (self.outcome(0), self.outcome(image)) else {
            return error;
        };
        let anchor_holds = all.first().is_some_and(|first| self.same(first, &anchor));
        let again_so = all.get(image).is_some_and(|first| self.same(first, &again));
        let parts = !self.same(&anchor, &again);
        if !(anchor_holds && again_so && parts) {
            return error.not_deterministic();
        }
        let kept = [self.keep(0), self.keep(image)];
        let kept: Vec<String> = kept
            .iter()
            .flatten()
            .map(|path| path.display().to_string())
            .collect();
        LabError::OfAddress {
            cause: Box::new(error),
            kept: kept.join("\n          "),
        }
    }

    fn same(&self, one: &Outcome, other: &Outcome) -> bool {
        self.alike(one, other).unwrap_or(false)
    }

    /// Keeps an image beside the store.
    fn keep(&self, image: usize) -> Option<PathBuf> {
        let placed = self.placed.get(image)?;
        let at: String = placed
            .name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        let name = placed.staged.path.file_name()?;
        let folder = self
            .parts
            .folder
            .parent()?
            .with_file_name("failed")
            .join(at);
        fs::create_dir_all(&folder).ok()?;
        let kept = folder.join(name);
        fs::copy(&placed.staged.file, &kept).ok()?;
        Some(kept)
    }
}
