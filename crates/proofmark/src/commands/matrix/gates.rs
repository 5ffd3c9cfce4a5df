//! `matrix gates`, and what `matrix run` does first: gates of each build before anything is timed.

use clap::Args;
use proofmark_evidence::record::GateFound;
use proofmark_lab::GatesRequest;
use proofmark_project::{BuiltCell, Project};
use proofmark_report::gates;

use super::build::{self, BuildArgs};
use super::part::CellArgs;
use crate::console;
use crate::context::Context;
use crate::exit::{Exit, Usage};

/// Arguments of `matrix gates`.
#[derive(Debug, Args)]
pub(crate) struct GatesArgs {
    #[command(flatten)]
    pub(super) cells: CellArgs,

    #[command(flatten)]
    build: BuildArgs,

    /// Print the JSON Schema of --json
    #[arg(long)]
    pub(super) schema: bool,
}

pub(super) fn run(
    args: &GatesArgs,
    project: &Project,
    json: bool,
    context: &Context,
) -> anyhow::Result<Exit> {
    context.catch_signals()?;
    if project.gates.is_empty() {
        return Err(Usage(
            "there is no [gate.NAME] in the project's file, so that there is nothing to run"
                .to_owned(),
        )
        .into());
    }
    let built = build::builds(&args.build, project, context)?;
    let found = found(project, &built, context)?;
    if json {
        console::print_json(&gates::json(&found))?;
    } else {
        console::print(&gates::terminal(&found, &context.style))?;
    }
    Ok(exit(&found).unwrap_or_else(|| build::exit(&built)))
}

/// The builds that pass the gates of a project, and what those said; the others are named.
pub(crate) fn gated(
    project: &Project,
    built: &[BuiltCell],
    context: &Context,
) -> anyhow::Result<(Vec<BuiltCell>, Vec<GateFound>)> {
    let found = found(project, built, context)?;
    for one in found.iter().filter(|one| !one.passed) {
        let GateFound {
            cell, gate, said, ..
        } = one;
        console::say(&format!(
            "proofmark: {cell} is not timed: gate `{gate}` fails: {said}"
        ));
    }
    Ok((proofmark_lab::passing(built, &found), found))
}

/// What the gates of a project say of its builds; nothing where it has none.
fn found(
    project: &Project,
    built: &[BuiltCell],
    context: &Context,
) -> anyhow::Result<Vec<GateFound>> {
    let request = GatesRequest::of_project(project, built, &context.folder)?;
    if request.is_empty() {
        return Ok(Vec::new());
    }
    let (_, found) = context
        .measure(|laboratory, progress| proofmark_lab::run_gates(laboratory, &request, progress))?;
    Ok(found)
}

/// The code for gates of which one failed.
pub(crate) fn exit(found: &[GateFound]) -> Option<Exit> {
    found.iter().any(|one| !one.passed).then_some(Exit::Failed)
}
