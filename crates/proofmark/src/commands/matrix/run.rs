//! `matrix run`: builds what is missing, measures what is open, shows the table.

use clap::Args;
use proofmark_evidence::record::{JudgedGuard, Warning, benchmark_name};
use proofmark_lab::{MatrixCode, MatrixDesign, MatrixRequest, MatrixUnderWay};
use proofmark_project::{Project, said_by};
use proofmark_terms::Holds;

use super::asked;
use super::build::{self, BuildArgs};
use super::gates;
use super::part::PartArgs;
use super::show::{self, FormatArgs};
use crate::arguments::DesignArgs;
use crate::console;
use crate::context::Context;
use crate::exit::Exit;

/// Arguments of `matrix run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(super) part: PartArgs,

    #[command(flatten)]
    build: BuildArgs,

    #[command(flatten)]
    design: DesignArgs,

    #[command(flatten)]
    format: FormatArgs,
}

pub(super) fn run(
    args: &RunArgs,
    project: &Project,
    json: bool,
    context: &Context,
) -> anyhow::Result<Exit> {
    context.catch_signals()?;
    let says = said_by(&project.file);
    let design = design(&args.design, context)?;
    // What can be wrong is said before anything is built.
    let code = MatrixCode::of(project)?;
    let built = build::builds(&args.build, project, context)?;
    build::say_doubts(&built);
    let (passing, gates) = gates::gated(project, &built, context)?;
    let failed = gates::exit(&gates);
    let request = MatrixRequest::of_project(project, &passing, code, gates, design)?;
    let began_ms = proofmark_lab::now_ms();
    let (store, id) = context.measure(|laboratory, progress| {
        let before = laboratory.store.latest_matrix()?;
        let id = proofmark_lab::run_matrix(laboratory, &request, progress);
        // One that was begun and interrupted was asked for too.
        let begun = laboratory.store.latest_matrix()?;
        let begun = begun.filter(|begun| before.as_ref() != Some(begun));
        if let Some(id) = id.as_ref().ok().or(begun.as_ref()) {
            asked::remember(context, &project.file, says.as_ref(), id);
        }
        id
    })?;
    let matrix = proofmark_lab::load_matrix(&store, id.as_str())?;
    let mut blocks = matrix.members.iter().flat_map(|one| &one.under_way.blocks);
    let begun_before = matrix.run.began_ms < began_ms;
    let unmeasured = unmeasured(&matrix);
    if !unmeasured.is_empty() {
        console::say(&format!(
            "proofmark: nothing was measured of {}: cells are out of it, and those that are left \
             have nothing to be compared with\n  next: mend what is said of these cells; where \
             nothing of it is in the sources or in {}, `--fresh` tries again",
            unmeasured.join(", "),
            project.file.display()
        ));
    } else if begun_before && !blocks.any(|block| block.began_ms >= began_ms) {
        console::say(
            "proofmark: nothing was measured: an earlier run answered all that is asked, and what the runs read has not changed; `--fresh` measures again",
        );
    }
    let broken = broken(&matrix);
    show::print(matrix, None, args.format.of(json), context)?;
    let failed = failed.or_else(|| broken.then_some(Exit::Failed));
    Ok(match failed.unwrap_or_else(|| build::exit(&built)) {
        Exit::Done if !unmeasured.is_empty() => Exit::Subject,
        other => other,
    })
}

/// Benchmarks of which nothing could be measured, for cells are out of them.
fn unmeasured(matrix: &MatrixUnderWay) -> Vec<String> {
    let members = matrix.run.members.iter().zip(&matrix.members);
    let without =
        members.filter(|(_, state)| state.under_way.blocks.is_empty() && !state.out.is_empty());
    let mut names: Vec<String> = without
        .map(|(member, _)| member.benchmark.clone())
        .collect();
    names.dedup();
    names
}

/// Whether a cell is worse than it may be on a guard, or nobody knows whether it did the work
/// there. The latter is said.
fn broken(matrix: &MatrixUnderWay) -> bool {
    let guards = matrix.conclusion.iter().flat_map(|found| &found.guards);
    let mut broken = false;
    for guard in guards {
        broken |= guard.holds == Holds::No;
        if let Some((cell, benchmark)) = doubted(matrix, guard) {
            broken = true;
            console::say(&format!(
                "proofmark: guard {benchmark} is not kept by {cell}: nothing shows that it did the \
                 work\n  next: let the program print its result, which then shows it"
            ));
        }
    }
    broken
}

/// The cell and the benchmark of a guard on which the cell may not have done the work.
fn doubted<'a>(matrix: &'a MatrixUnderWay, guard: &JudgedGuard) -> Option<(&'a str, String)> {
    let cell = guard.cell.of(&matrix.run.cells)?;
    let member = guard.member.of(&matrix.run.members)?;
    let benchmark = benchmark_name(&member.benchmark, member.size.as_ref());
    let mut warnings = matrix.conclusion.iter().flat_map(|found| &found.warnings);
    let doubted = warnings.any(|warning| match warning {
        Warning::WorkInDoubt(doubt) => {
            doubt.build == *cell
                && doubt
                    .benchmark
                    .as_ref()
                    .is_none_or(|name| *name == benchmark)
        }
        _ => false,
    });
    doubted.then_some((cell.as_str(), benchmark))
}

/// How a matrix is measured.
pub(super) fn design(args: &DesignArgs, context: &Context) -> anyhow::Result<MatrixDesign> {
    Ok(MatrixDesign {
        design: args.record_of_matrix()?,
        layouts: args.layouts.into(),
        population: args.population.into(),
        seed: args.seed,
        fresh: args.fresh,
        own: context.folder.clone(),
    })
}
