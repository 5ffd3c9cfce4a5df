//! `proofmark bisect`: which commit changed it?

mod asked;
mod compiler;
mod over;
mod range;
mod workshop;

use std::path::Path;

use anyhow::Context as _;
use proofmark_capture::states::Repository;
use proofmark_evidence::record::{Axis, Judge};
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
use asked::OverArgs;
use range::{Range, is_logged};
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
    let recorded = match (&args.show, &args.over) {
        (Some(id), _) => Store::open(&context.folder)?.load_bisect(id)?,
        (
            None,
            OverArgs {
                over: Some(what), ..
            },
        ) => over::searched(args, *what, context)?,
        (
            None,
            OverArgs {
                toolchain: Some(name),
                ..
            },
        ) => compiler::searched(args, name, context)?,
        (None, _) => searched(args, context)?,
    };
    if let Some(path) = &args.output.log {
        is_logged(recorded.bisect.vcs, recorded.bisect.survey)?;
        std::fs::write(path, bisect::log(&recorded))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    match args.output.format() {
        FormatArg::Json => console::print_json(&bisect::json(&recorded))?,
        FormatArg::Markdown => console::print(&bisect::markdown(&recorded))?,
        FormatArg::Text | FormatArg::Comment | FormatArg::Csv => {
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

fn searched(args: &BisectArgs, context: &Context) -> anyhow::Result<RecordedBisect> {
    context.catch_signals()?;
    if args.run.is_none() {
        subject::check_command(&args.benchmark)?;
        unread::say_input(&args.benchmark);
    }
    let range = Range::of(args, Repository::open(Path::new("."))?)?;
    let judge = args.judge()?;
    let (command, image) = match &judge {
        Judge::Blocks { build, .. } => (build.clone(), args.benchmark.image.as_deref()),
        Judge::Script { command } => (command.clone(), None),
    };
    let plan = Plan::of(range.repository, &command, image)?;
    let request = BisectRequest {
        axis: Axis::Commits,
        vcs: range.vcs,
        older: range.older,
        survey: args.survey(range.commits.len()),
        commits: range.commits,
        toolchain: None,
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
    if let Judge::Blocks { benchmark, .. } = &request.judge {
        workshop = workshop.for_runs_in(Path::new(benchmark.cwd.as_ref()));
    }
    let (store, id) = context.measure(|laboratory, progress| {
        proofmark_lab::run_bisect(laboratory, &request, &mut workshop, progress)
    })?;
    Ok(store.load_bisect(id.as_str())?)
}
