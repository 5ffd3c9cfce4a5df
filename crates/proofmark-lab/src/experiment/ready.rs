//! A request made ready to be measured: its builds are held fast and belong together, and its
//! benchmark is set up.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::thread::available_parallelism;

use proofmark_evidence::record::{Experiment, Inputs, Question};
use proofmark_measure::Interrupt;
use proofmark_terms::BuildIndex;

use super::request::{CountedRuns, Request};
use super::under_way::UnderWay;
use crate::bench::{Alongside, Bench, BenchParts};
use crate::beside::{Counting, Reading};
use crate::budget::Budget;
use crate::builds::held::{held, still_there};
use crate::builds::{Subject, refuse_special};
use crate::clock::now_ms;
use crate::error::LabError;
use crate::images::{Cache, Maker, Making};
use crate::inputs::{self, Look, TreesRead};
use crate::laboratory::{Laboratory, emptied};
use crate::pilot::{TracedRun, foreseen};
use crate::places::{Original, Places, Take, libraries};
use crate::prepare::set_up;
use crate::tree::Tree;

/// A request whose builds and benchmark are ready.
pub(crate) struct Ready<'a> {
    request: &'a Request,
    /// The request's builds, of which nobody else changes a file.
    subjects: Vec<Subject>,
    /// The working folder, where each run sees a copy of it.
    original: Option<Original>,
    /// proofmark's own folder.
    own: PathBuf,
    /// The folder in it in which blocks are placed.
    work: PathBuf,
    stop: Interrupt,
}

impl<'a> Ready<'a> {
    /// Makes a request ready.
    ///
    /// # Errors
    ///
    /// When a build cannot be measured as it is, or the command of --setup fails.
    pub(crate) fn of(
        request: &'a Request,
        laboratory: &Laboratory<'_>,
    ) -> Result<Ready<'a>, LabError> {
        let work = laboratory.folder.join("work");
        emptied(&work)?;
        refuse_special(&request.subjects)?;
        // Before any command of the user's runs, which might replace them.
        let original = Original::of(&request.benchmark, laboratory.folder)?;
        let subjects = held(&request.subjects, &work.join("held"))?;
        set_up(&request.benchmark)?;
        still_there(&request.subjects)?;
        libraries::check(&request.subjects, |_| &request.benchmark)?;
        Ok(Ready {
            request,
            subjects,
            original,
            own: laboratory.folder.to_owned(),
            work,
            stop: laboratory.stop.clone(),
        })
    }

    /// What its runs read. Where the first of them show that the budget cannot hold the fewest
    /// blocks of the experiment, nothing more is run.
    pub(super) fn inputs(
        &self,
        experiment: &Experiment,
        budget: Budget,
    ) -> Result<Inputs, LabError> {
        let places = self.places()?;
        let staged = places.to_be_looked_at(&self.request.subjects, &self.work)?;
        let looks: Vec<Look<'_>> = BuildIndex::each(&staged)
            .map(|(build, staged)| Look {
                benchmark: &self.request.benchmark,
                image: &staged.path,
                view: staged.view.clone(),
                bound: places.covered(Take::first(build)),
                original: self.original.as_ref(),
                tree: places.tree(Take::first(build)).map(Tree::at),
                copies: places.copies(Take::first(build)),
            })
            .collect();
        let cores = available_parallelism().map_or(1, |cores| cores.get() as u64);
        let mut seen = vec![None; looks.len()];
        let mut trees = TreesRead::default();
        let found = inputs::find_hearing(
            &looks,
            &self.request.subjects,
            (&self.own, &self.stop, budget),
            &mut trees,
            &mut |build, run| {
                if let Some(place) = seen.get_mut(build.place()) {
                    *place = Some(TracedRun::of(run, cores));
                }
                foreseen(experiment, &seen, budget, now_ms())
            },
        )?;
        trees.settle(&self.request.subjects)?;
        Ok(found)
    }

    /// A bench on which runs of its blocks' images are looked into, from the first block on;
    /// nothing goes on beside it.
    pub(crate) fn sampling_bench(&self, under_way: &UnderWay) -> Result<Bench, LabError> {
        let cache = Cache::open(self.own.join("cache"))?;
        let parts = BenchParts::claim(self.work.join("run"), self.places()?, &self.stop)?;
        let alongside = Alongside {
            maker: self.maker(under_way, cache, &parts)?,
            ..Alongside::default()
        };
        let experiment = &under_way.experiment;
        Ok(Bench::new(experiment, &self.subjects, parts, alongside))
    }

    /// The bench on which its blocks are measured.
    pub(super) fn bench(&self, under_way: &UnderWay) -> Result<Bench, LabError> {
        let cache = Cache::open(self.own.join("cache"))?;
        let parts = BenchParts::claim(self.work.join("run"), self.places()?, &self.stop)?;
        let alongside = Alongside {
            maker: self.maker(under_way, cache, &parts)?,
            counting: self.counting(&under_way.experiment, &parts),
            counts_drawn: self.request.counted != CountedRuns::None,
            links: self.evened_links(&under_way.experiment),
            reading: self.reading(&parts),
        };
        let experiment = &under_way.experiment;
        Ok(Bench::new(experiment, &self.subjects, parts, alongside))
    }

    /// The link of each build, where layouts make their data alike.
    fn evened_links(&self, experiment: &Experiment) -> Vec<proofmark_layout::Recipe> {
        if !experiment.layouts.makes_alike() {
            return Vec::new();
        }
        let first = |subject: &Subject| Some(subject.links()?.first()?.recipe.clone());
        self.subjects.iter().map_while(first).collect()
    }

    fn places(&self) -> Result<Places, LabError> {
        Places::of(&self.request.subjects, self.original.clone())
    }

    /// The maker of images, from the first block on that there are none for; where layouts are not
    /// varied there is none.
    fn maker(
        &self,
        under_way: &UnderWay,
        cache: Cache,
        parts: &BenchParts,
    ) -> Result<Option<Rc<RefCell<Maker>>>, LabError> {
        let started = Maker::start(Making {
            experiment: &under_way.experiment,
            subjects: &self.subjects,
            folder: &self.work,
            cache,
            first: under_way.pilot.as_ref().map(|_| under_way.done()),
            core: parts.core.core(),
            benchmarks: 1,
        })?;
        let Some((maker, broken)) = started else {
            return Ok(None);
        };
        match broken.into_iter().next() {
            None => Ok(Some(Rc::new(RefCell::new(maker)))),
            Some(error) => Err(error),
        }
    }

    fn counting(&self, experiment: &Experiment, parts: &BenchParts) -> Option<Counting> {
        let beside_blocks = self.request.counted == CountedRuns::All;
        (self.is_comparison() && beside_blocks).then(|| {
            Counting::plan(
                experiment,
                &self.subjects,
                &parts.places,
                &self.work.join("count"),
                parts.core.core(),
                self.stop.clone(),
            )
        })
    }

    fn reading(&self, parts: &BenchParts) -> Option<Reading> {
        let expectations = self.request.expectations.as_ref();
        let read = || Reading::start(&self.subjects, expectations, parts.core.core());
        self.is_comparison().then(read).flatten()
    }

    fn is_comparison(&self) -> bool {
        self.request.question == Question::Compare
    }
}
