//! The plan of a matrix, as views show it.

use proofmark_conclude::MatrixForecast;
use proofmark_project::{BuildPlan, CellState, Planned};
use proofmark_report::plan::{PlanView, PlannedCell, PlannedState};
use proofmark_report::toolchains::compiler;

/// A plan, with how many builds are made at a time and what measuring takes.
pub(crate) fn plan<'a>(
    plan: &BuildPlan,
    parallel: usize,
    forecast: &'a MatrixForecast,
) -> PlanView<'a> {
    let same = plan.same();
    let names = |group: &Vec<&_>| group.iter().map(ToString::to_string).collect();
    PlanView {
        cells: plan.cells.iter().map(|cell| planned(plan, cell)).collect(),
        same: same.iter().map(names).collect(),
        parallel,
        forecast,
    }
}

fn planned(plan: &BuildPlan, planned: &Planned) -> PlannedCell {
    let cell = &planned.cell;
    let toolchain = match plan.toolchain(&cell.axes.toolchain) {
        Some(Ok(toolchain)) => Some(toolchain),
        Some(Err(_)) | None => None,
    };
    PlannedCell {
        name: cell.name.clone(),
        baseline: cell.baseline,
        toolchain: cell.axes.toolchain.clone(),
        compiler: toolchain.map(|found| compiler(&found.reported, &found.version)),
        source: cell.axes.source.clone(),
        flags: cell.axes.flags.clone(),
        options: cell.axes.options.clone(),
        key: planned.key.clone(),
        state: match &planned.state {
            CellState::Built { seconds } => PlannedState::Built { seconds: *seconds },
            CellState::Missing { failed_before } => PlannedState::Missing {
                failed_before: failed_before.clone(),
            },
            CellState::Blocked(failure) => PlannedState::Blocked {
                why: failure.why.clone(),
            },
        },
        log: planned.log.clone(),
    }
}
