//! `matrix plan`: what would be built and run. Nothing is built or installed.

use proofmark_lab::project::Project;
use proofmark_report::variants::PlanView;

use crate::commands::project;
use crate::context::{self, Context};
use crate::exit::Exit;

pub(super) fn run(project: &Project, json: bool, context: &Context) -> anyhow::Result<Exit> {
    let workshop = project::workshop(project, context)?;
    let plan = workshop.plan();
    let benchmarks = project.benchmarks.iter();
    let view = PlanView {
        plan: &plan,
        benchmarks: benchmarks
            .map(|(name, of)| (name.as_str(), of.values.len().max(1)))
            .collect(),
        parallel: std::thread::available_parallelism().map_or(1, usize::from),
    };
    if json {
        context::print_json(&proofmark_report::variants::plan_json(&view))?;
    } else {
        context::print(&proofmark_report::variants::plan(&view, &context.style))?;
    }
    Ok(Exit::Done)
}
