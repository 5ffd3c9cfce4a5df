//! `proofmark bisect`: which commit changed it?

mod asked;
mod over;
mod workshop;

use std::path::Path;

use anyhow::Context as _;
use proofmark_capture::states::{self, Repository, WORK};
use proofmark_evidence::record::{Axis, Judge, Vcs};
use proofmark_evidence::{RecordedBisect, Store};
use proofmark_lab::BisectRequest;
use proofmark_report::bisect;

use crate::arguments::FormatArg;
use crate::commands::revisions::Plan;
use crate::commands::{subject, unread};
use crate::console;
use crate::context::Context;
use crate::exit::{Exit, Usage};

pub(crate) use asked::BisectArgs;
pub(crate) use workshop::{Workshop, short};

pub(crate) fn run(args: &BisectArgs, context: &Context) -> anyhow::Result<Exit> {
    if args.schema {
        return console::print_schema("bisect");
    }
    args.output.plot.check()?;
    if args.peaks.is_some() && !args.all && args.over.over.is_none() && args.show.is_none() {
        let what = "--peaks says how narrow a peak may be missed by --all: give that too";
        return Err(Usage(what.to_owned()).into());
    }
    if args.run.is_some() && args.output.plot.is_asked() {
        return Err(Usage(
            "a script measures nothing, and there is nothing to draw: leave --plot out".to_owned(),
        )
        .into());
    }
    let recorded = match (&args.show, args.over.over) {
        (Some(id), _) => Store::open(&context.folder)?.load_bisect(id)?,
        (None, None) => searched(args, context)?,
        (None, Some(what)) => over::searched(args, what, context)?,
    };
    if let Some(path) = &args.output.log {
        is_logged(recorded.bisect.vcs, recorded.bisect.survey)?;
        std::fs::write(path, bisect::log(&recorded))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    match args.output.format() {
        FormatArg::Json => console::print_json(&bisect::json(&recorded))?,
        FormatArg::Markdown => console::print(&bisect::markdown(&recorded))?,
        FormatArg::Text | FormatArg::Csv => {
            console::print(&bisect::terminal(&recorded, &context.style))?;
        }
    }
    let conclusion = recorded.conclusion.as_ref();
    if conclusion.is_some_and(|one| one.ends.is_some() || one.survey.is_some()) {
        args.output
            .plot
            .write(|format, theme| bisect::picture(&recorded, format, theme))?;
    } else if args.output.plot.is_asked() {
        console::say("proofmark: nothing was measured, and there is no picture");
    }
    Ok(Exit::Done)
}

/// Refuses the log of what git could not replay.
fn is_logged(vcs: Vcs, survey: Option<u32>) -> Result<(), Usage> {
    let why = match (vcs, survey) {
        (Vcs::Git, None) => return Ok(()),
        (Vcs::Git, Some(_)) => "this one looks for every change and not for one commit",
        (Vcs::Mercurial, _) => "these are changesets of Mercurial's",
    };
    Err(Usage(format!(
        "a log is what `git bisect replay` takes, and {why}: leave --log out"
    )))
}

fn searched(args: &BisectArgs, context: &Context) -> anyhow::Result<RecordedBisect> {
    context.catch_signals()?;
    if args.run.is_none() {
        subject::check_command(&args.benchmark)?;
        unread::say_input(&args.benchmark);
    }
    let repository = Repository::open(Path::new("."))?;
    let vcs = match repository.vcs() {
        states::Vcs::Git => Vcs::Git,
        states::Vcs::Mercurial => Vcs::Mercurial,
    };
    if args.output.log.is_some() {
        is_logged(vcs, args.survey(0))?;
    }
    let bad = args.bad.as_deref().unwrap_or("HEAD");
    let [older, newer] = [args.good.as_deref().unwrap_or_default(), bad].map(|name| {
        if name == WORK {
            return Err(Usage(format!(
                "{name} is no commit, and a bisection goes through commits: commit what is in the \
                 work tree first"
            ))
            .into());
        }
        Ok::<_, anyhow::Error>(repository.state(name)?)
    });
    let (older, newer) = (older?, newer?);
    let commits = repository.between(&older, &newer, args.first_parent())?;
    let older = repository.commit_of(&older)?;
    let judge = args.judge()?;
    let (command, image) = match &judge {
        Judge::Blocks { build, .. } => (build.clone(), args.benchmark.image.as_deref()),
        Judge::Script { command } => (command.clone(), None),
    };
    let plan = Plan::of(repository, &command, image)?;
    let request = BisectRequest {
        axis: Axis::Commits,
        vcs,
        older,
        survey: args.survey(commits.len()),
        commits,
        first_parent: args.first_parent(),
        judge,
        trusted: args.repeat.is_trusted(),
        confidence: args.measuring.confidence,
        surroundings: plan.surroundings(),
        layouts: args.measuring.layouts.into(),
        population: args.measuring.population.into(),
        seed: args.measuring.seed,
        resume: !args.measuring.fresh,
    };
    let mut workshop = Workshop::new(plan, context).of_builds(args.repeat.builds());
    let (store, id) = context.measure(|laboratory, progress| {
        proofmark_lab::run_bisect(laboratory, &request, &mut workshop, progress)
    })?;
    Ok(store.load_bisect(id.as_str())?)
}
