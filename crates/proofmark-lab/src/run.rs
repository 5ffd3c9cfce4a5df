//! The whole of an experiment, from a request to a conclusion in the store.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use proofmark_evidence::record::{Experiment, Inputs, Question};
use proofmark_evidence::{ExperimentId, LockedStore};
use proofmark_measure::{Instrument, InstrumentOptions, Stop, claim_core, read_machine};

use crate::LabError;
use crate::aside::Alongside;
use crate::begin::{begin, now_ms};
use crate::bench::{Bench, BenchParts};
use crate::budget::Budget;
use crate::cache::Cache;
use crate::conduct::{UnderWay, conduct};
use crate::counting::Counting;
use crate::fresh::Original;
use crate::held::held;
use crate::images::Maker;
use crate::inputs::{self, Look};
use crate::libraries;
use crate::observer::{Event, Observer};
use crate::places::{Places, Staged};
use crate::reading::Reading;
use crate::request::{Request, Subject};
use crate::rights::refuse_special;
use crate::runner::set_up;

/// Where experiments take place.
#[derive(Debug)]
pub struct Laboratory<'a> {
    /// The project's `.proofmark` folder.
    pub folder: &'a Path,
    /// The store in it, and with it the right to measure.
    pub store: &'a mut LockedStore,
    /// Raised when the user wants to stop.
    pub stop: Stop,
}

/// Carries a request out, or goes on where it was interrupted.
///
/// # Errors
///
/// Whatever stops an experiment; finished blocks are in the store.
pub fn run(
    laboratory: &mut Laboratory<'_>,
    request: &Request,
    observer: &mut dyn Observer,
) -> Result<ExperimentId, LabError> {
    let began_ms = now_ms();
    let work = laboratory.folder.join("work");
    emptied(&work)?;
    refuse_special(&request.subjects)?;
    // Before any command of the user's runs, which might replace them.
    let original = Original::of(&request.benchmark, laboratory.folder)?;
    let subjects = held(&request.subjects, &work.join("held"))?;
    set_up(&request.benchmark)?;
    libraries::check(&request.subjects, |_| &request.benchmark)?;
    let (own, stop) = (laboratory.folder, laboratory.stop.clone());
    let budget = Budget::new(&request.design, began_ms, 0);
    let copies = original.clone();
    let mut inputs = || read_by(copies.as_ref(), request, own, &stop, budget);
    let under_way = begin(request, laboratory.store, &mut inputs, observer)?;
    let under_way = UnderWay {
        began_ms,
        ..under_way
    };
    let id = under_way.id.clone();
    observer.tell(&Event::Preparing("layouts"));
    let experiment = &under_way.experiment;
    let next = u32::try_from(under_way.blocks.len()).unwrap_or(u32::MAX);
    let first = under_way.pilot.as_ref().map(|_| next);
    let cache = Cache::open(laboratory.folder.join("cache"))?;
    let folders = (work.join("run"), original);
    let parts = parts(folders, &request.subjects, &laboratory.stop)?;
    let alongside = alongside(
        (request, &subjects),
        experiment,
        &work,
        (cache, first),
        &parts,
    )?;
    let mut bench = Bench::new(experiment, &subjects, parts, alongside);
    conduct(under_way, &mut bench, laboratory.store, observer)?;
    Ok(id)
}

/// What the runs of a request read.
fn read_by(
    original: Option<&Original>,
    request: &Request,
    own: &Path,
    stop: &Stop,
    budget: Budget,
) -> Result<Inputs, LabError> {
    let places = Places::of(&request.subjects, original.cloned())?;
    let staged = looked_at(&request.subjects, &places, &own.join("work"))?;
    let looks: Vec<Look<'_>> = staged
        .iter()
        .enumerate()
        .map(|(build, staged)| Look {
            benchmark: &request.benchmark,
            image: &staged.path,
            view: staged.view.clone(),
            bound: places.bound(build, 0),
            original,
        })
        .collect();
    inputs::find(&looks, own, stop, budget)
}

/// The builds' own images where their runs find them, to be looked at before anything is measured.
pub(crate) fn looked_at(
    subjects: &[Subject],
    places: &Places,
    work: &Path,
) -> Result<Vec<Staged>, LabError> {
    let stage = |(build, subject): (usize, &Subject)| {
        let image = subject.shipped().into_iter().next().unwrap_or_default();
        places.stage((build, 0), &image, &work.join(format!("look-{build}")))
    };
    subjects.iter().enumerate().map(stage).collect()
}

/// Starts what goes on while blocks are measured; `first` is the first block that there are no
/// images for, none where the pilot's are due.
fn alongside(
    (request, subjects): (&Request, &[Subject]),
    experiment: &Experiment,
    work: &Path,
    (cache, first): (Cache, Option<u32>),
    parts: &BenchParts,
) -> Result<Alongside, LabError> {
    let core = parts.core.core();
    let maker = match Maker::start(experiment, subjects, work, cache, first, core, 1)? {
        None => None,
        Some((maker, broken)) => match broken.into_iter().next() {
            None => Some(Rc::new(RefCell::new(maker))),
            Some(error) => return Err(error),
        },
    };
    let comparing = request.question == Question::Compare;
    let count = || {
        Counting::plan(
            experiment,
            subjects,
            &parts.places,
            &work.join("count"),
            core,
            parts.stop.clone(),
        )
    };
    let read = || Reading::start(subjects, request.expectations.as_ref(), core);
    Ok(Alongside {
        maker,
        counting: (comparing && request.instructions).then(count),
        reading: comparing.then(read).flatten(),
    })
}

/// Removes what an experiment that was killed has left.
pub(crate) fn emptied(work: &Path) -> Result<(), LabError> {
    match std::fs::remove_dir_all(work) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(LabError::File {
            action: "empty",
            path: work.to_owned(),
            source,
        }),
        _ => Ok(()),
    }
}

/// The instrument, a core for it, and where each build runs: in a folder, with copies of the
/// working folder where it has one.
pub(crate) fn parts(
    (folder, original): (PathBuf, Option<Original>),
    subjects: &[Subject],
    stop: &Stop,
) -> Result<BenchParts, LabError> {
    let instrument = Instrument::new(InstrumentOptions {
        stop: stop.clone(),
        ..InstrumentOptions::default()
    })?;
    let places = Arc::new(Places::of(subjects, original)?);
    let (core, lock) = claim_core();
    Ok(BenchParts {
        instrument: Rc::new(instrument),
        places,
        core,
        lock: lock.map(Rc::new),
        machine: read_machine(),
        folder,
        stop: stop.clone(),
    })
}
