//! `matrix plan`: what would be built and run, in which layouts, and how long it takes. Nothing is
//! built, linked, installed or run.

use clap::Args;
use proofmark_evidence::{Store, StoreError};
use proofmark_lab::forecast_matrix;
use proofmark_project::Project;
use proofmark_report::plan;

use super::build::BuildArgs;
use super::part::PartArgs;
use crate::arguments::DesignArgs;
use crate::commands::project;
use crate::console;
use crate::context::Context;
use crate::exit::Exit;
use crate::shown;

/// Arguments of `matrix plan`: those of the run that is planned, but for what it prints.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// Print the JSON Schema of --json
    #[arg(long)]
    pub(super) schema: bool,

    #[command(flatten)]
    pub(super) part: PartArgs,

    #[command(flatten)]
    build: BuildArgs,

    #[command(flatten)]
    design: DesignArgs,
}

pub(super) fn run(
    args: &PlanArgs,
    project: &Project,
    json: bool,
    context: &Context,
) -> anyhow::Result<Exit> {
    let workshop = project::workshop(project, context)?;
    let planned = workshop.plan();
    let built = workshop.standing(&planned);
    let store = match Store::open(&context.folder) {
        Ok(store) => Some(store),
        Err(StoreError::NoStore { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let design = super::run::design(&args.design, context)?;
    let forecast = forecast_matrix(project, &planned, &built, design, store.as_ref())?;
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let parallel = args.build.jobs().unwrap_or_else(cores);
    let view = shown::plan::plan(&planned, parallel, &forecast);
    if json {
        console::print_json(&plan::json(&view))?;
    } else {
        console::print(&plan::terminal(&view, &context.style))?;
    }
    Ok(Exit::Done)
}
