//! What is done in the sandbox: the builds are made, measured, and put into a bundle for whoever
//! waits outside.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use proofmark_capture::states::{Repository, State};
use proofmark_conclude::again::{DrawnAgain, benchmark_in, built_by, to_the_end};
use proofmark_evidence::Store;
use proofmark_evidence::bundle::{Content, Packed, Packing};
use proofmark_evidence::record::Experiment;
use proofmark_lab::{CountedRuns, LayoutChoice, Request, Subject, cut_alike};
use proofmark_terms::Population;

use super::again::RESULT;
use super::chosen::{Chosen, chosen};
use super::sources::SOURCES;
use super::{cells, images};
use crate::arguments::RepeatArg;
use crate::commands::revisions::{self, Plan};
use crate::context::Context;
use crate::exit::{Exit, Usage};

/// Measures an experiment of a bundle; `run_images` takes the builds from that as well.
pub(super) fn run(
    file: &Path,
    id: Option<&str>,
    run_images: bool,
    context: &Context,
) -> anyhow::Result<Exit> {
    context.catch_signals()?;
    let store = Store::open_bundle(file)?;
    let recorded = match chosen(&store, &[], id)? {
        Chosen::One(recorded) => *recorded,
        Chosen::Whole(_) => return Err(Usage("one experiment at a time".to_owned()).into()),
    };
    let experiment = &to_the_end(&recorded);
    let request = if run_images {
        let content = Content::read(file)?;
        let enclosures = content.enclosures();
        let subjects = images::subjects(experiment, enclosures, context)?;
        // What was never captured is compared as shipped by itself, and the reason is given.
        let again = images::at_hand(enclosures, |at_hand| at_hand.are_linked_again(experiment));
        let drawn = match again {
            true => DrawnAgain::of(&experiment.layouts),
            false => DrawnAgain::Auto,
        };
        request(experiment, subjects, drawn)?
    } else {
        let is_of_cells = built_by(experiment).is_some_and(|how| how.cell.is_some());
        let subjects = match is_of_cells {
            true => cells::subjects(experiment, context)?,
            false => built(experiment, context)?,
        };
        request(experiment, subjects, DrawnAgain::of(&experiment.layouts))?
    };
    let (store, id) = context
        .measure(|laboratory, progress| proofmark_lab::run(laboratory, &request, progress))?;
    let bundled = store.bundled(&[id.to_string()])?;
    let packing = Packing {
        private: true,
        // Nobody else is given it.
        secrets: true,
    };
    let packed = Packed::new(&store, &bundled, packing, env!("CARGO_PKG_VERSION"))?;
    packed.write(Path::new(RESULT))?;
    Ok(Exit::Done)
}

/// The builds, made here of their revisions.
fn built(experiment: &Experiment, context: &Context) -> anyhow::Result<Vec<Subject>> {
    let how = built_by(experiment)
        .ok_or_else(|| Usage("the records do not say how the builds are made".to_owned()))?;
    let repository = Repository::open(Path::new("."))?;
    let state = |build: &proofmark_evidence::record::Build| -> anyhow::Result<State> {
        let revision = build
            .revision
            .as_ref()
            .context("a build without a revision")?;
        let mut state = repository.state(revision.id.as_str())?;
        state.name.clone_from(&build.name);
        Ok(state)
    };
    let states = experiment.builds.iter().map(state);
    let states = states.collect::<anyhow::Result<Vec<State>>>()?;
    let image = how.image.as_ref().map(|image| Path::new(image.as_ref()));
    let plan = Plan::of(repository, &how.command, image)?;
    let runs_in = runs_in(experiment)?;
    let repeat = RepeatArg::of(how.builds);
    revisions::of_states(&plan, &states, (repeat, &runs_in), context)
}

/// The folder in which runs work: of builds that are made here it may be another one than theirs.
fn runs_in(experiment: &Experiment) -> anyhow::Result<PathBuf> {
    let noted = built_by(experiment).and_then(|how| how.runs_in.as_ref());
    match noted.filter(|_| Path::new(SOURCES).join(".git").exists()) {
        Some(inside) => Ok(Path::new(SOURCES).join(Path::new(inside))),
        None => std::env::current_dir().context("cannot tell the current folder"),
    }
}

/// The same question, of these builds and in new layouts.
fn request(
    experiment: &Experiment,
    subjects: Vec<Subject>,
    drawn: DrawnAgain,
) -> anyhow::Result<Request> {
    let cwd = runs_in(experiment)?;
    Ok(Request {
        question: experiment.question,
        // As all that compares builds does.
        subjects: cut_alike(subjects),
        benchmark: benchmark_in(&experiment.benchmark, &cwd),
        design: experiment.design.clone(),
        layouts: match drawn {
            DrawnAgain::Auto => LayoutChoice::Auto,
            DrawnAgain::Jittered => LayoutChoice::Jittered,
            DrawnAgain::Inside => LayoutChoice::Inside,
            DrawnAgain::Independent => LayoutChoice::Independent,
            DrawnAgain::AsShipped => LayoutChoice::AsShipped,
        },
        population: experiment.layouts.population().unwrap_or(Population::Pad),
        seed: None,
        resume: true,
        counted: CountedRuns::All,
        expectations: None,
    })
}
