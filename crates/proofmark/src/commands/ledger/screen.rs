//! `ledger screen`: ideas race, and the best go on to `confirm`.

use clap::Args;
use proofmark_lab::{LedgerRequest, MatrixDesign};
use proofmark_project::{LedgerPlan, Problem, Project};

use super::run::put_together;
use super::show::{self, FormatArgs};
use crate::arguments::DesignArgs;
use crate::commands::matrix::build::{self, BuildArgs};
use crate::commands::matrix::gates;
use crate::console;
use crate::context::Context;
use crate::exit::{Exit, Usage};

/// Arguments of `ledger screen`.
#[derive(Debug, Args)]
#[command(after_help = "Example: proofmark ledger screen inline --blocks 4..20")]
pub(crate) struct ScreenArgs {
    /// Ideas; one with candidates is all of them
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,

    #[command(flatten)]
    build: BuildArgs,

    #[command(flatten)]
    design: DesignArgs,

    #[command(flatten)]
    format: FormatArgs,
}

pub(super) fn run(
    args: &ScreenArgs,
    project: &Project,
    json: bool,
    context: &Context,
) -> anyhow::Result<Exit> {
    context.catch_signals()?;
    if args.design.precision.is_some() {
        let what = "a race ends when one is left, not at a width: leave out --precision, or give \
                    it to `proofmark confirm NAME --at-least 3%`";
        return Err(Usage(what.to_owned()).into());
    }
    let wrong = |problem: Problem| Usage(problem.to_string());
    let plan = LedgerPlan::of(&project.ideas, &args.names).map_err(wrong)?;
    if !plan.stacks.is_empty() {
        let what = "stacks do not race: name ideas";
        return Err(Usage(what.to_owned()).into());
    }
    let cells = plan.project(project, &project.ideas).map_err(wrong)?;
    let mut cells = cells.without_guards(&[]);
    // Base again stays to the end, as base does.
    cells.cells.baselines.push(1);
    put_together(&plan, &cells, context)?;
    let built = build::builds(&args.build, &cells, context)?;
    build::say_doubts_of_ideas(&built);
    let (built, gates) = gates::gated(&cells, &built, context)?;
    let failed = gates::exit(&gates);
    let design = MatrixDesign {
        design: args.design.record_of_matrix()?,
        layouts: args.design.layouts.into(),
        population: args.design.population.into(),
        seed: args.design.seed,
        fresh: args.design.fresh,
        own: context.folder.clone(),
    };
    let request = LedgerRequest::of(project, &plan, &cells, &built, gates, design)?;
    let (store, (id, added)) = context
        .measure(|laboratory, progress| proofmark_lab::screen(laboratory, request, progress))?;
    if !added {
        console::say(
            "proofmark: nothing was measured: an earlier race answered this, and what the runs \
             read has not changed; `--fresh` measures again",
        );
    }
    show::print(
        &store.load_ledger(id.as_str())?,
        args.format.of(json),
        context,
    )?;
    Ok(failed.unwrap_or_else(|| build::exit(&built)))
}
