//! Which cells and benchmarks of a project's file a command is about.

use clap::Args;
use proofmark_project::{Project, Purpose, Selection};

use crate::console;
use crate::exit::Usage;

/// Which cells.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct CellArgs {
    /// Only this cell, its words in any order; with a * all cells that have the other words: 'gcc12
    /// *'. May be given several times
    #[arg(long = "cell", value_name = "CELL", help_heading = "What")]
    cells: Vec<String>,
}

/// Which cells on which benchmarks.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct PartArgs {
    #[command(flatten)]
    cells: CellArgs,

    /// Only this benchmark; may be given several times
    #[arg(long = "benchmark", value_name = "NAME", help_heading = "What")]
    benchmarks: Vec<String>,
}

impl CellArgs {
    /// The cells to build.
    pub(super) fn of(&self, project: Project) -> Result<Project, Usage> {
        part(project, &self.cells, &[], Purpose::Build)
    }

    /// The cells whose gates are to be run, and a baseline. Nothing is claimed of what is not
    /// timed.
    pub(super) fn with_baseline(&self, mut project: Project) -> Result<Project, Usage> {
        project.claims.clear();
        part(project, &self.cells, &[], Purpose::Measure)
    }
}

impl PartArgs {
    /// What is to be measured.
    pub(super) fn of(&self, project: Project) -> Result<Project, Usage> {
        let cells = &self.cells.cells;
        part(project, cells, &self.benchmarks, Purpose::Measure)
    }
}

fn part(
    project: Project,
    cells: &[String],
    benchmarks: &[String],
    purpose: Purpose,
) -> Result<Project, Usage> {
    let selection = Selection {
        cells: cells.to_vec(),
        benchmarks: benchmarks.to_vec(),
    };
    let part = project
        .part(&selection, purpose)
        .map_err(|problem| Usage(problem.to_string()))?;
    // Notes of builds alone would tell of claims that nobody asked about.
    if purpose == Purpose::Measure {
        for note in &part.notes {
            console::say(&format!("proofmark: {note}"));
        }
    }
    Ok(part.project)
}
