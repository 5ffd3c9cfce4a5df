//! `proofmark matrix`: the builds of a project's file, measured against every baseline.

mod asked;
pub(crate) mod build;
pub(crate) mod gates;
mod log;
mod part;
mod plan;
mod run;
mod show;

use clap::{Args, Subcommand};

use super::project::{self, ProjectArgs};
use crate::console;
use crate::context::Context;
use crate::exit::Exit;

/// Arguments of `matrix`.
#[derive(Debug, Args)]
pub(crate) struct MatrixArgs {
    #[command(flatten)]
    project: ProjectArgs,

    /// Print JSON
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// What would be built and run, in which layouts, and how long it takes, before anything starts
    Plan(Box<plan::PlanArgs>),
    /// Build what is missing, measure every cell against every baseline, and show the table
    Run(Box<run::RunArgs>),
    /// A measured matrix again, against any baseline
    Show(show::ShowArgs),
    /// Make the builds that are missing
    Build {
        /// Print the JSON Schema of --json
        #[arg(long)]
        schema: bool,

        #[command(flatten)]
        cells: part::CellArgs,

        #[command(flatten)]
        build: build::BuildArgs,
    },
    /// Run the gates of every build, which `matrix run` does before it measures; measure nothing
    Gates(gates::GatesArgs),
    /// The output of a cell's build
    Log {
        /// The cell, its words in any order
        #[arg(required = true, value_name = "CELL")]
        cell: Vec<String>,
    },
}

pub(crate) fn run(args: &MatrixArgs, context: &Context) -> anyhow::Result<Exit> {
    let context = &project::context(&args.project, context)?;
    if let Action::Show(show) = &args.action {
        let file = project::place(&args.project)?;
        return show::run(show, file.as_deref(), args.json, context);
    }
    if let Some(schema) = schema(&args.action) {
        return console::print_schema(schema);
    }
    let project = project::find(&args.project)?;
    match &args.action {
        Action::Run(run) => run::run(run, &run.part.of(project)?, args.json, context),
        Action::Show(show) => show::run(show, Some(&project.file), args.json, context),
        Action::Plan(plan) => plan::run(plan, &plan.part.of(project)?, args.json, context),
        Action::Build { build, cells, .. } => {
            build::run(build, &cells.of(project)?, args.json, context)
        }
        Action::Gates(gates) => gates::run(
            gates,
            &gates.cells.with_baseline(project)?,
            args.json,
            context,
        ),
        Action::Log { cell } => log::run(&cell.join(" "), &project, args.json, context),
    }
}

/// The name of the schema of what an action prints as JSON, where only that is asked: it needs no
/// project.
fn schema(action: &Action) -> Option<&'static str> {
    match action {
        Action::Plan(plan) if plan.schema => Some("matrix-plan"),
        Action::Build { schema: true, .. } => Some("matrix-builds"),
        Action::Gates(gates) if gates.schema => Some("gates"),
        _ => None,
    }
}
