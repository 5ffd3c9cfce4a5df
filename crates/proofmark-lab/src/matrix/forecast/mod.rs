//! What `matrix run` will do and how long it takes, told from the project's file and the store
//! alone: nothing is linked and nothing runs.

mod block_time;

use proofmark_conclude::{Begun, MatrixForecast, PlannedLayouts, PlannedMember};
use proofmark_evidence::Store;
use proofmark_evidence::record::{Benchmark, Design, LayoutControl, MatrixRun, Size};
use proofmark_layout::MATCHED_UP_TO;
use proofmark_project::Toolchain;
use proofmark_project::{BuildPlan, BuiltCell, CellState};

use super::begin::{key_of, standing};
use super::project::{MatrixCode, MatrixDesign, fits, sizes};
use super::request::MatrixRequest;
use crate::builds::Subject;
use crate::error::LabError;
use crate::experiment::{layouts_without_linking, warmed};
use block_time::block_time;
use proofmark_project::Project;

/// Matrices of the store that are looked at for a benchmark's times, the latest first.
const MATRICES: u32 = 8;

/// The first blocks of an experiment, which tell its times.
const BLOCKS: u32 = 4;

/// Forecasts the measuring of a project's matrix. `built` are the plan's cells as they stand;
/// without a store nothing was ever measured.
///
/// # Errors
///
/// A record is damaged, or a file that the project expects cannot be read.
pub fn forecast_matrix(
    project: &Project,
    plan: &BuildPlan,
    built: &[BuiltCell],
    design: MatrixDesign,
    store: Option<&Store>,
) -> Result<MatrixForecast, LabError> {
    fits(project)?;
    let cells = cells(plan);
    let fresh = design.fresh;
    let request =
        MatrixRequest::of_project(project, built, MatrixCode::default(), Vec::new(), design)?;
    // With a build more it is another matrix.
    let complete = !plan
        .cells
        .iter()
        .any(|planned| matches!(planned.state, CellState::Missing { .. }));
    let begun = match store.filter(|_| !fresh && complete && request.subjects.len() > 1) {
        None => None,
        Some(store) => standing(&key_of(&request)?, store)?,
    };
    let layouts = match (&begun, store) {
        (Some(begun), Some(store)) => recorded_layouts(&begun.run, store)?,
        _ => None,
    };
    let linkers = linkers(plan, &request.subjects);
    Ok(MatrixForecast {
        layouts: layouts.map_or_else(
            || planned_layouts(&request, linkers.len() > 1),
            PlannedLayouts::Known,
        ),
        linkers,
        min_blocks: request.design.min_blocks,
        max_blocks: request.design.max_blocks,
        budget_ms: request.design.budget_ms,
        members: members(project, &cells, &request.design, store)?,
        begun: begun.map(|begun| Begun {
            id: begun.id,
            concluded: begun.conclusion.map(|conclusion| conclusion.blocks),
        }),
        cells,
    })
}

/// Cells that have a build or can have one.
fn cells(plan: &BuildPlan) -> Vec<String> {
    let possible = plan.cells.iter();
    let possible = possible.filter(|planned| !matches!(planned.state, CellState::Blocked(_)));
    possible.map(|planned| planned.cell.name.clone()).collect()
}

/// How the builds of a matrix that was begun before were laid out.
fn recorded_layouts(run: &MatrixRun, store: &Store) -> Result<Option<LayoutControl>, LabError> {
    let Some(member) = run.members.first() else {
        return Ok(None);
    };
    let recorded = store.load_beginning(&member.experiment, 0)?;
    Ok(Some(recorded.experiment.layouts))
}

fn planned_layouts(request: &MatrixRequest, several_linkers: bool) -> PlannedLayouts {
    match layouts_without_linking(
        &request.subjects,
        several_linkers,
        request.layouts,
        request.population,
    ) {
        Ok(Some(control)) => PlannedLayouts::Known(control),
        Ok(None) => PlannedLayouts::ByCode {
            population: request.population,
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a share of 1, in per cent"
            )]
            matched_up_to: (MATCHED_UP_TO * 100.0).round() as u32,
        },
        Err(error) => PlannedLayouts::Refused(error.to_string()),
    }
}

/// Each linker with its cells.
fn linkers(plan: &BuildPlan, subjects: &[Subject]) -> Vec<(String, Vec<String>)> {
    let mut all: Vec<(String, Vec<String>)> = Vec::new();
    for planned in &plan.cells {
        let name = &planned.cell.name;
        let built = subjects.iter().find(|subject| subject.name == *name);
        let of_build = built
            .and_then(|subject| subject.links()?.first())
            .map(|link| link.recipe.linker.version.as_str());
        let of_toolchain = || match plan.toolchain(&planned.cell.axes.toolchain) {
            Some(Ok(Toolchain { linker, .. })) => Some(linker.as_str()),
            _ => None,
        };
        let Some(linker) = of_build.or_else(of_toolchain) else {
            continue;
        };
        match all.iter_mut().find(|(known, _)| known == linker) {
            Some((_, cells)) => cells.push(name.clone()),
            None => all.push((linker.to_owned(), vec![name.clone()])),
        }
    }
    all
}

/// Every benchmark at every size, with how long a block of it takes.
fn members(
    project: &Project,
    cells: &[String],
    design: &Design,
    store: Option<&Store>,
) -> Result<Vec<PlannedMember>, LabError> {
    let mut members = Vec::new();
    let mut commands = Vec::new();
    for (name, definition) in &project.benchmarks {
        for value in sizes(definition) {
            commands.push(definition.record(&project.folder, None, value));
            members.push(PlannedMember {
                benchmark: name.clone(),
                size: definition
                    .scale
                    .clone()
                    .zip(value)
                    .map(|(name, value)| Size { name, value }),
                block: None,
            });
        }
    }
    let Some(store) = store else {
        return Ok(members);
    };
    for id in store.matrices(MATRICES)? {
        if members.iter().all(|member| member.block.is_some()) {
            break;
        }
        let recorded = store.load_matrix(id.as_str())?;
        for (member, command) in members.iter_mut().zip(&commands) {
            let same = recorded
                .run
                .members
                .iter()
                .find(|known| known.benchmark == member.benchmark && known.size == member.size);
            let Some(same) = same.filter(|_| member.block.is_none()) else {
                continue;
            };
            let measured = store.load_beginning(&same.experiment, BLOCKS)?;
            let command = warmed(command, &measured.experiment.inputs);
            if is_same(&measured.experiment.benchmark, &command) {
                member.block = block_time(&recorded.run, &measured, cells, design, &id);
            }
        }
    }
    Ok(members)
}

/// Whether what was run is what will be run.
fn is_same(before: &Benchmark, now: &Benchmark) -> bool {
    let run = |of: &Benchmark| (of.argv.clone(), of.env.clone(), of.stdin.clone(), of.warmup);
    run(before) == run(now)
}
