//! `proofmark explain --remedies`: what helps against a placement, measured.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use proofmark_evidence::{Recorded, RecordedExplanation, Store};
use proofmark_lab::{Outcome, RemediesRequest, RemediesRun, Subject};
use proofmark_report::remedies::Remedies;
use proofmark_terms::{Better, BuildIndex};

use crate::arguments::ExperimentArgs;
use crate::console;
use crate::context::Context;
use crate::exit::Usage;
use crate::shown;

/// What is tried, and what is kept of it.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Remedies")]
pub(crate) struct RemediesArgs {
    /// Try what may help the slower build against its placement: hot functions together, functions
    /// aligned; each beside the build as it was, in layouts of its own, and the best one afresh
    #[arg(long)]
    pub(super) remedies: bool,

    /// Write the file that the best remedy needs: its hot functions, one a line
    #[arg(long, value_name = "FILE", requires = "remedies")]
    keep: Option<PathBuf>,
}

impl RemediesArgs {
    /// Refuses a file that could not be written: before anything is measured.
    pub(super) fn check(&self) -> Result<(), Usage> {
        let folder = self.keep.as_deref().and_then(Path::parent);
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
        match folder.filter(|folder| !folder.is_dir()) {
            Some(folder) => Err(Usage(format!(
                "--keep: there is no folder {}",
                folder.display()
            ))),
            None => Ok(()),
        }
    }
}

/// Tries remedies for the slower build of an explanation.
pub(super) fn tried(
    args: &RemediesArgs,
    experiment: &ExperimentArgs,
    (explanation, comparison, subjects): (&RecordedExplanation, &Recorded, &[Subject]),
    context: &Context,
) -> anyhow::Result<Remedies> {
    let build = slower(explanation, comparison);
    let subject = build
        .of(subjects)
        .context("an explanation without its builds")?;
    let builds = context.builds()?;
    let request = RemediesRequest {
        explanation: explanation.clone(),
        build,
        subject: subject.clone(),
        builds: &builds,
        benchmark: comparison.experiment.benchmark.clone(),
        design: experiment.design.record(&experiment.beside)?,
        counted: experiment.beside.counted(),
        resume: !experiment.design.fresh,
    };
    let (store, run) = context.measure(|laboratory, progress| {
        proofmark_lab::run_remedies(laboratory, &request, progress)
    })?;
    let all = loaded(&store, run.comparison.as_ref())?;
    let afresh = loaded(&store, run.afresh.as_ref().map(|(_, id)| id))?;
    let written = written(args, &run)?;
    Ok(shown::remedies::remedies(
        &subject.name,
        &run,
        all,
        (afresh, written),
    ))
}

/// The build that takes more time as shipped; over layouts, where nothing is known of that.
fn slower(explanation: &RecordedExplanation, comparison: &Recorded) -> BuildIndex {
    let build = explanation.explanation.build;
    let conclusion = comparison.conclusion.iter();
    let mut found = conclusion.flat_map(|one| &one.comparisons);
    let Some(found) = found.find(|one| one.build == build) else {
        return build;
    };
    let shipped = found.as_shipped.map(|shipped| shipped.interval);
    let more = shipped.unwrap_or(found.interval).estimate.ln() > 0.0;
    let lower_is_better =
        proofmark_conclude::better(&comparison.experiment.benchmark.metric) == Better::Lower;
    if more == lower_is_better {
        build
    } else {
        BuildIndex::BASE
    }
}

fn loaded(
    store: &Store,
    id: Option<&proofmark_evidence::ExperimentId>,
) -> anyhow::Result<Option<Recorded>> {
    let recorded = id.map(|id| store.load(id.as_str())).transpose()?;
    Ok(recorded)
}

/// Writes the file that the best remedy needs, where it was asked for and there is one.
fn written(args: &RemediesArgs, run: &RemediesRun) -> anyhow::Result<Option<String>> {
    let Some(path) = &args.keep else {
        return Ok(None);
    };
    let chosen = run.afresh.as_ref().map(|(build, _)| *build);
    let best = run.tried.iter().find_map(|tried| match &tried.outcome {
        Outcome::Compared(made) if Some(made.build) == chosen => Some(made),
        _ => None,
    });
    let Some(file) = best.and_then(|made| made.kept.file.as_ref()) else {
        console::say(&format!(
            "proofmark: {} is not written: {}",
            path.display(),
            match best {
                Some(_) => "the best remedy needs flags alone",
                None => "no remedy helps",
            }
        ));
        return Ok(None);
    };
    std::fs::write(path, file).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(Some(path.display().to_string()))
}
