//! What is done in the sandbox: the builds are made, measured, and put into a bundle for whoever
//! waits outside.

use std::path::Path;

use anyhow::Context as _;
use proofmark_capture::states::{Repository, State};
use proofmark_conclude::again::{DrawnAgain, benchmark_in, built_by};
use proofmark_evidence::bundle::{Packed, Packing};
use proofmark_evidence::{Recorded, Store};
use proofmark_lab::{CountedRuns, LayoutChoice, Request};
use proofmark_terms::Population;

use super::again::RESULT;
use crate::arguments::RepeatArg;
use crate::commands::revisions::{self, Plan};
use crate::context::Context;
use crate::exit::{Exit, Usage};

pub(super) fn run(file: &Path, id: Option<&str>, context: &Context) -> anyhow::Result<Exit> {
    context.catch_signals()?;
    let store = Store::open_bundle(file)?;
    let recorded = super::plan::chosen(&store, id)?;
    let request = request(&recorded, context)?;
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

/// The same question, with builds made here and new layouts.
fn request(recorded: &Recorded, context: &Context) -> anyhow::Result<Request> {
    let experiment = &recorded.experiment;
    let cwd = std::env::current_dir().context("cannot tell the current folder")?;
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
    let subjects = revisions::of_states(&plan, &states, RepeatArg::of(how.builds), context)?;
    Ok(Request {
        question: experiment.question,
        subjects,
        benchmark: benchmark_in(&experiment.benchmark, &cwd),
        design: experiment.design.clone(),
        layouts: match DrawnAgain::of(&experiment.layouts) {
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
