//! `proofmark explain`: what a change is made of.

mod calls;
mod remedies;

use std::ffi::OsString;

use clap::Args;
use proofmark_evidence::record::{Build, ExplanationDesign, Question};
use proofmark_evidence::{Recorded, RecordedExplanation, Store};
use proofmark_lab::{CalledRuns, ExplanationRequest, Subject};
use proofmark_report::explain;
use proofmark_report::remedies::Remedies;
use proofmark_terms::BuildIndex;

use self::remedies::RemediesArgs;
use crate::arguments::{CallsArgs, ExperimentArgs, FormatArg, RepeatArg};
use crate::commands::{compare, equal, labels, revisions, subject, unread};
use crate::console;
use crate::context::Context;
use crate::exit::{Exit, Usage};

/// Arguments of `explain`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  proofmark explain base new -- {} fib.lua 30
  proofmark explain latest              the latest comparison, which is not measured again
  proofmark explain latest --of new --format markdown
  proofmark explain --rev HEAD~1..HEAD --build make --image lua -- {} fib.lua 30
  proofmark explain latest --flame calls.svg
  proofmark explain latest --remedies --keep hot.txt
  proofmark explain --show latest --json

docs/explain.md says how to read it.")]
pub(crate) struct ExplainArgs {
    /// The baseline and the build to explain; or, without a command, a recorded comparison: its
    /// name, the beginning of it, or `latest`
    #[arg(value_name = "BASE NEW|ID", required_unless_present_any = ["show", "schema", "rev"])]
    builds: Vec<OsString>,

    /// Which build of the comparison to hold against the base [default: the one that differs most]
    #[arg(long, value_name = "BUILD", conflicts_with = "show")]
    of: Option<String>,

    /// Explain two revisions of git or Mercurial, A..B, as `compare --rev` compares them
    #[arg(
        long,
        value_name = "A..B",
        requires = "build",
        conflicts_with = "builds"
    )]
    rev: Option<String>,

    /// Shell command that builds a revision in a clean copy of the repository
    #[arg(long, value_name = "COMMAND", requires = "rev")]
    build: Option<String>,

    #[command(flatten)]
    repeat: RepeatArg,

    /// Show an explanation again: its name, the beginning of it, or `latest`
    #[arg(long, value_name = "ID", conflicts_with_all = ["builds", "rev", "command", "flame", "folded", "profile", "remedies"])]
    show: Option<String>,

    /// Print the JSON Schema of --json
    #[arg(long, conflicts_with_all = ["builds", "show", "command"])]
    schema: bool,

    /// Blocks of sampled runs, which come after those of the comparison
    #[arg(long, value_name = "BLOCKS", default_value_t = 12, value_parser = clap::value_parser!(u32).range(4..=1000))]
    sampled_blocks: u32,

    /// Sampled runs of each build in a block [default: by how long a run takes]
    #[arg(long, value_name = "RUNS", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    sampled_runs: Option<u32>,

    #[command(flatten)]
    calls: CallsArgs,

    #[command(flatten)]
    remedies: RemediesArgs,

    #[command(flatten)]
    experiment: ExperimentArgs,
}

pub(crate) fn run(args: &ExplainArgs, context: &Context) -> anyhow::Result<Exit> {
    if args.schema {
        return console::print_schema("explanation");
    }
    let format = args.experiment.output.format();
    let instead = match format {
        FormatArg::Csv => Some("`proofmark report ID --format csv` has the runs"),
        FormatArg::Comment => Some("`proofmark report ID --format comment` makes one"),
        FormatArg::Text | FormatArg::Markdown | FormatArg::Json => None,
    };
    if let Some(instead) = instead {
        return Err(Usage(format!(
            "an explanation is text, Markdown or JSON; {instead} of its comparison"
        ))
        .into());
    }
    args.calls.check()?;
    args.remedies.check()?;
    if args.repeat.is_asked() && args.rev.is_none() {
        let what = "--repeat says how often a revision of --rev is built";
        return Err(Usage(what.to_owned()).into());
    }
    if let Some(id) = &args.show {
        let store = Store::open(&context.folder)?;
        let recorded = store.load_explanation(id)?;
        let comparison = store.load(recorded.explanation.comparison.as_str())?;
        show((&recorded, &comparison, None), format, context)?;
        return Ok(Exit::Done);
    }
    // Else the builds have the same bytes, and that was said.
    let Some(explained) = explained(args, context)? else {
        return Ok(Exit::Done);
    };
    let of = (
        &explained.recorded,
        &explained.comparison,
        explained.remedies.as_ref(),
    );
    show(of, format, context)?;
    match &explained.called {
        None => Ok(Exit::Done),
        Some(Err(why)) => {
            console::say(&format!(
                "proofmark: nothing is drawn, for nothing tells who calls whom: {why}"
            ));
            Ok(Exit::Machine)
        }
        Some(Ok(called)) => {
            let builds = &explained.comparison.experiment.builds;
            let name = |at: usize| builds.get(at).map_or("?", |build| build.name.as_str());
            let new = explained.recorded.explanation.build.place();
            calls::write(&args.calls, called, [name(0), name(new)])?;
            Ok(Exit::Done)
        }
    }
}

/// An explanation that was carried out, and what is drawn of it.
struct Explained {
    recorded: RecordedExplanation,
    comparison: Recorded,
    called: Option<Result<CalledRuns, String>>,
    remedies: Option<Remedies>,
}

fn explained(args: &ExplainArgs, context: &Context) -> anyhow::Result<Option<Explained>> {
    context.catch_signals()?;
    let Some((comparison, subjects)) = compared(args, context)? else {
        return Ok(None);
    };
    let request = ExplanationRequest {
        build: build(args.of.as_deref(), &comparison)?,
        comparison,
        subjects,
        design: ExplanationDesign {
            blocks: args.sampled_blocks,
            runs: args.sampled_runs,
            budget_ms: None,
        },
        with_callers: args.calls.are_asked(),
        resume: !args.experiment.design.fresh,
    };
    let (store, run) = context.measure(|laboratory, progress| {
        proofmark_lab::run_explanation(laboratory, &request, progress)
    })?;
    let recorded = store.load_explanation(run.id.as_str())?;
    let remedies = if args.remedies.remedies {
        let of = (&recorded, &request.comparison, request.subjects.as_slice());
        Some(remedies::tried(
            &args.remedies,
            &args.experiment,
            of,
            context,
        )?)
    } else {
        None
    };
    Ok(Some(Explained {
        recorded,
        comparison: request.comparison,
        called: run.called,
        remedies,
    }))
}

/// The comparison: measured now, or as it was recorded; with its builds.
fn compared(
    args: &ExplainArgs,
    context: &Context,
) -> anyhow::Result<Option<(Recorded, Vec<Subject>)>> {
    let benchmark = &args.experiment.benchmark;
    if benchmark.command.is_empty() {
        return recorded(args, context).map(Some);
    }
    subject::check_command(benchmark)?;
    unread::say_input(benchmark);
    let image = benchmark.image.as_deref();
    let mut subjects = match (&args.rev, &args.build) {
        (Some(range), Some(build)) => {
            let runs_in = benchmark.working_folder()?;
            revisions::subjects(range, build, image, (args.repeat, &runs_in), context)?
        }
        _ => compare::of_builds(&args.builds, image, context)?,
    };
    labels::number(&mut subjects);
    if equal::answered(&subjects, args.experiment.output.format())? {
        return Ok(None);
    }
    let subjects = proofmark_lab::cut_alike(subjects);
    let request = args.experiment.request(Question::Compare, subjects)?;
    let (store, id) = context
        .measure(|laboratory, progress| proofmark_lab::run(laboratory, &request, progress))?;
    Ok(Some((store.load(id.as_str())?, request.subjects)))
}

/// A recorded comparison, with its builds as they are kept.
fn recorded(args: &ExplainArgs, context: &Context) -> anyhow::Result<(Recorded, Vec<Subject>)> {
    let [word] = args.builds.as_slice() else {
        return Err(Usage(
            "no benchmark: write its command after --, with {} where the image goes, as in `-- {} \
             fib.lua 30`; a recorded comparison is one word and needs none"
                .to_owned(),
        )
        .into());
    };
    let recorded = Store::open(&context.folder)?.load(&word.to_string_lossy())?;
    let builds = recorded.experiment.builds.iter();
    let subjects = builds
        .map(|build| subject::again(build, context))
        .collect::<anyhow::Result<Vec<Subject>>>()?;
    Ok((recorded, subjects))
}

/// The build that is held against the base: the one that was asked for, or that differs most.
fn build(of: Option<&str>, comparison: &Recorded) -> anyhow::Result<BuildIndex> {
    let builds = &comparison.experiment.builds;
    let Some(name) = of else {
        let found = comparison
            .conclusion
            .iter()
            .flat_map(|one| &one.comparisons);
        let size = |one: &proofmark_evidence::record::Comparison| one.interval.estimate.ln().abs();
        let most = found.max_by(|a, b| size(a).total_cmp(&size(b)));
        return Ok(most.map_or(BuildIndex(1), |one| one.build));
    };
    let mut others = BuildIndex::each(builds).skip(1);
    let found = others.find(|(_, build)| build.name == name);
    found.map(|(index, _)| index).ok_or_else(|| {
        let names: Vec<&str> = builds
            .iter()
            .skip(1)
            .map(|build: &Build| build.name.as_str())
            .collect();
        Usage(format!(
            "the comparison holds no build {name} against its base; it has {}",
            names.join(", ")
        ))
        .into()
    })
}

fn show(
    (recorded, comparison, remedies): (&RecordedExplanation, &Recorded, Option<&Remedies>),
    format: FormatArg,
    context: &Context,
) -> anyhow::Result<()> {
    let below = |of: &dyn Fn(&Remedies) -> String| remedies.map(of).unwrap_or_default();
    match format {
        FormatArg::Json => console::print_json(&explain::json(recorded, comparison, remedies)),
        FormatArg::Markdown => {
            let text = explain::markdown(recorded, comparison);
            console::print(&(text + &below(&proofmark_report::remedies::markdown)))
        }
        FormatArg::Text | FormatArg::Comment | FormatArg::Csv => {
            let style = &context.style;
            let text = explain::terminal(recorded, comparison, style);
            let below = below(&|found| proofmark_report::remedies::terminal(found, style));
            console::print(&(text + &below))
        }
    }
}
