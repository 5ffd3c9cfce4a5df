//! `matrix log CELL`: what a cell's build printed.

use anyhow::Context as _;
use proofmark_hint::hint;
use proofmark_project::CellState;
use proofmark_project::Project;
use proofmark_report::built::log_json;

use crate::commands::project;
use crate::console;
use crate::context::Context;
use crate::exit::{Exit, Usage};

pub(super) fn run(
    cell: &str,
    project: &Project,
    json: bool,
    context: &Context,
) -> anyhow::Result<Exit> {
    let cell = project
        .cells
        .named(cell)
        .map_err(|problem| Usage(problem.to_string()))?;
    let workshop = project::workshop(project, context)?;
    let plan = workshop.plan();
    let planned = plan.cells.iter().find(|of| of.cell.name == cell.name);
    let Some(log) = planned.and_then(|planned| planned.log.as_ref()) else {
        let why = match planned.map(|planned| &planned.state) {
            Some(CellState::Blocked(failure)) => failure.why.clone(),
            _ => format!("{} builds it", hint("matrix build --cell", &[&cell.name])),
        };
        return Err(Usage(format!("`{cell}` has not been built as it is now: {why}")).into());
    };
    let text = std::fs::read(log).with_context(|| format!("cannot read {}", log.display()))?;
    let text = String::from_utf8_lossy(&text);
    let failed = match planned.map(|planned| &planned.state) {
        Some(CellState::Missing { failed_before }) => failed_before.as_deref(),
        _ => None,
    };
    if json {
        console::print_json(&log_json(&cell.name, log, &text, failed))?;
        return Ok(Exit::Done);
    }
    console::print(&text)?;
    if let Some(why) = failed {
        console::say(&format!("proofmark: {cell}: {why}"));
    }
    Ok(Exit::Done)
}
