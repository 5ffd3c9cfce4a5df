//! `bisect --over`: toolchains or sets of flags of a project's file in place of commits, with one
//! source.

mod line;
mod shelf;

use anyhow::Context as _;
use proofmark_evidence::RecordedBisect;
use proofmark_evidence::record::{Benchmark, Judge, Vcs};
use proofmark_lab::{BisectRequest, benchmarks_of};
use proofmark_project::{Project, Purpose, Selection};

use super::asked::{BisectArgs, Over};
use crate::commands::matrix::build::{self, BuildArgs};
use crate::commands::project::{self, ProjectArgs};
use crate::commands::{subject, unread};
use crate::console;
use crate::context::Context;
use crate::exit::Usage;
use line::Line;
pub(super) use line::is_called;
use shelf::Shelf;

/// Looks for every change along the line that is asked for.
pub(super) fn searched(
    args: &BisectArgs,
    over: Over,
    context: &Context,
) -> anyhow::Result<RecordedBisect> {
    let file = ProjectArgs {
        file: args.over.file.clone(),
    };
    let context = &project::context(&file, context)?;
    context.catch_signals()?;
    if args.benchmark.image.is_some() {
        let what = "the image is the one that the source of the project's file names: leave \
                    --image out";
        return Err(Usage(what.to_owned()).into());
    }
    let project = project::find(&file)?;
    let benchmark = benchmark(args, &project)?;
    let line = Line::of(args, over, &project)?;
    console::say(&format!("proofmark: over {}", line.said()));
    let judge = args.blocks(line.build(&project), benchmark)?;
    let part = part(&project, &line)?;
    let built = build::builds(&BuildArgs::new(args.over.offline), &part, context)?;
    let mut shelf = Shelf::of(&project, &line, &built)?;
    let request = request(args, &line, &shelf, judge)?;
    let (store, id) = context.measure(|laboratory, progress| {
        proofmark_lab::run_bisect(laboratory, &request, &mut shelf, progress)
    })?;
    Ok(store.load_bisect(id.as_str())?)
}

fn request(
    args: &BisectArgs,
    line: &Line,
    shelf: &Shelf,
    judge: Judge,
) -> anyhow::Result<BisectRequest> {
    let mut states = shelf.states();
    let older = states.next().context("a line without states")?;
    let commits: Vec<_> = states.collect();
    Ok(BisectRequest {
        axis: line.axis(),
        vcs: Vcs::default(),
        older,
        survey: args.survey(commits.len()),
        toolchain: None,
        commits,
        first_parent: false,
        judge,
        trusted: true,
        confidence: args.measuring.confidence,
        surroundings: shelf.digest(),
        layouts: args.measuring.layouts.into(),
        population: args.measuring.population.into(),
        seed: args.measuring.seed,
        resume: !args.measuring.fresh,
    })
}

/// The project with the cells of the line alone.
fn part(project: &Project, line: &Line) -> anyhow::Result<Project> {
    let selection = Selection {
        cells: line.cells().map(str::to_owned).collect(),
        benchmarks: Vec::new(),
    };
    let part = project.clone().part(&selection, Purpose::Build);
    Ok(part.map_err(|problem| Usage(problem.to_string()))?.project)
}

/// What is run: the command, or a benchmark of the project's file.
pub(super) fn benchmark(args: &BisectArgs, project: &Project) -> anyhow::Result<Benchmark> {
    if !args.benchmark.command.is_empty() {
        subject::check_command(&args.benchmark)?;
        unread::say_input(&args.benchmark);
        return args.benchmark.record();
    }
    let mut all = Vec::new();
    for (name, definition) in &project.benchmarks {
        all.extend(benchmarks_of(name, definition, &project.folder)?);
    }
    let known: Vec<String> = all.iter().map(|(name, _)| format!("`{name}`")).collect();
    let known = known.join(", ");
    let asked = args.over.benchmark.as_deref();
    all.retain(|(name, _)| asked.is_none_or(|asked| asked == name));
    let mut found = all.into_iter();
    match (found.next(), found.next()) {
        (Some((_, benchmark)), None) => Ok(benchmark),
        (None, _) if known.is_empty() => Err(Usage(
            "the project's file has no benchmark: write a command after --, with {} where the \
             image goes"
                .to_owned(),
        )
        .into()),
        (None, _) => Err(Usage(format!(
            "the project's file has no benchmark `{}`; there is {known}",
            asked.unwrap_or_default()
        ))
        .into()),
        (Some(_), Some(_)) => Err(Usage(format!(
            "a search is for one benchmark: name it by --benchmark; there is {known}"
        ))
        .into()),
    }
}
