//! What `matrix run` will do and how long it takes, told from the project's file and the store
//! alone: nothing is linked and nothing runs.

use std::collections::BTreeMap;

use proofmark_build::toolchain::Toolchain;
use proofmark_build::variants::{BuiltCell, Plan, State};
use proofmark_conclude::{
    Begun, BlockTime, MatrixForecast, PlannedLayouts, PlannedMember, of_rounds,
};
use proofmark_evidence::record::{Benchmark, Design, LayoutControl, MatrixRun, Size};
use proofmark_evidence::{MatrixId, Recorded, Store};
use proofmark_layout::MATCHED_UP_TO;
use proofmark_stats::median;

use super::begin::{key_of, standing};
use super::project::{MatrixCode, MatrixDesign, sizes};
use super::request::MatrixRequest;
use crate::LabError;
use crate::begin::layouts_without_linking;
use crate::pilot::rounds_expected;
use crate::project::Project;
use crate::request::Subject;

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
    plan: &Plan,
    built: &[BuiltCell],
    design: MatrixDesign,
    store: Option<&Store>,
) -> Result<MatrixForecast, LabError> {
    let cells = cells(plan);
    let fresh = design.fresh;
    let request = MatrixRequest::of_project(project, built, MatrixCode::default(), design)?;
    // With a build more it is another matrix.
    let complete = !plan
        .cells
        .iter()
        .any(|planned| matches!(planned.state, State::Missing { .. }));
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
fn cells(plan: &Plan) -> Vec<String> {
    let possible = plan.cells.iter();
    let possible = possible.filter(|planned| !matches!(planned.state, State::Blocked(_)));
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
fn linkers(plan: &Plan, subjects: &[Subject]) -> Vec<(String, Vec<String>)> {
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
            if is_same(&measured.experiment.benchmark, command) {
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

/// The time of a block of these cells, by the CPU times that an earlier pilot saw and by what its
/// blocks took.
#[expect(clippy::cast_precision_loss, reason = "a rough figure")]
fn block_time(
    run: &MatrixRun,
    measured: &Recorded,
    cells: &[String],
    design: &Design,
    by: &MatrixId,
) -> Option<BlockTime> {
    let pilot = measured.pilot.as_ref()?;
    let known: BTreeMap<&str, f64> = run
        .cells
        .iter()
        .zip(&pilot.cpu_ns)
        .filter(|(_, cpu_ns)| **cpu_ns > 0)
        .map(|(name, cpu_ns)| (name.as_str(), *cpu_ns as f64))
        .collect();
    let usual = median(&known.values().copied().collect::<Vec<f64>>())?;
    let of_cell = |name: &String| known.get(name.as_str()).copied();
    let guessed = cells.iter().filter(|name| of_cell(name).is_none()).count();
    let round_ns: f64 = cells
        .iter()
        .map(|name| of_cell(name).unwrap_or(usual))
        .sum();
    let warmup = measured.experiment.benchmark.warmup;
    let before = Past::of(measured);
    let known_ns: f64 = known.values().sum();
    // A round of a verdict comes with rounds that check it.
    let rounds = f64::from(warmup + pilot.rounds);
    let with_checks = if before.cpu > 0.0 {
        before.cpu / (known_ns * rounds)
    } else {
        1.0
    };
    let past = before.for_cells(round_ns / known_ns);
    let round_ns = round_ns * with_checks;
    let before = &measured.experiment.design;
    let same_rule = design.rounds.is_none()
        && guessed == 0
        && cells.len() == known.len()
        && (before.rounds, before.margin, before.precision)
            == (None, design.margin, design.precision);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "sums of times, which saturate"
    )]
    let rounds = if same_rule {
        pilot.rounds
    } else {
        let by_the_clock = past.runs_ns(round_ns) as u64;
        rounds_expected(design, pilot, by_the_clock, past.waiting_ns() as u64)
    };
    Some(BlockTime {
        seconds: past.block_ns(round_ns * f64::from(warmup + rounds)) / 1e9,
        rounds,
        guessed: u32::try_from(guessed).unwrap_or(u32::MAX),
        by: by.clone(),
    })
}

/// What the blocks of an earlier matrix took, on average, in nanoseconds; 0 where there is none.
#[derive(Clone, Copy, Debug)]
struct Past {
    /// From start to end.
    took: f64,
    /// All their runs by the clock, warm-up included.
    runs: f64,
    /// CPU time of the same runs.
    cpu: f64,
}

impl Past {
    /// A block that took this much longer than its runs had waited for images.
    const WAITED: f64 = 1.25;

    #[expect(clippy::cast_precision_loss, reason = "a rough figure")]
    fn of(measured: &Recorded) -> Past {
        let blocks = &measured.blocks;
        let count = blocks.len().max(1) as f64;
        let took: f64 = blocks.iter().map(|block| block.took_ms as f64 * 1e6).sum();
        let runs = blocks.iter().map(of_rounds);
        let rounds = blocks.iter().flat_map(|block| &block.rounds);
        let counted = rounds.clone().count() as f64;
        let cpu = rounds
            .flat_map(|round| &round.runs)
            .map(|run| run.cpu_ns as f64);
        let warmup = f64::from(measured.experiment.benchmark.warmup) * blocks.len() as f64;
        let warm = if counted > 0.0 {
            1.0 + warmup / counted
        } else {
            1.0
        };
        Past {
            took: took / count,
            runs: runs.sum::<f64>() * warm / count,
            cpu: cpu.sum::<f64>() * warm / count,
        }
    }

    /// The same with this many times the cells.
    fn for_cells(self, times: f64) -> Past {
        Past {
            took: self.took * times,
            runs: self.runs * times,
            cpu: self.cpu * times,
        }
    }

    /// How long images kept a block waiting, whatever its runs; 0 where they did not.
    fn waiting_ns(self) -> f64 {
        if self.took > Self::WAITED * self.runs {
            self.took
        } else {
            0.0
        }
    }

    /// How long runs take by the clock that take this much CPU time: waits and several cores
    /// included.
    fn runs_ns(self, cpu_ns: f64) -> f64 {
        if self.cpu > 0.0 && self.runs > 0.0 {
            cpu_ns * self.runs / self.cpu
        } else {
            cpu_ns
        }
    }

    /// The time of a block whose runs take this much CPU time: as much longer than they as it was,
    /// but never shorter than its images take.
    fn block_ns(self, cpu_ns: f64) -> f64 {
        let over = if self.runs > 0.0 {
            (self.took / self.runs).clamp(1.0, Self::WAITED)
        } else {
            1.0
        };
        (self.runs_ns(cpu_ns) * over).max(self.waiting_ns())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a / b - 1.0).abs() < 1e-9
    }

    /// Blocks that took so many seconds, of them their runs, and so much CPU time.
    fn past(took: f64, runs: f64, cpu: f64) -> Past {
        let [took, runs, cpu] = [took, runs, cpu].map(|seconds| seconds * 1e9);
        Past { took, runs, cpu }
    }

    /// What a block takes whose runs take `cpu` seconds of CPU time.
    fn seconds(past: Past, cpu: f64) -> f64 {
        past.block_ns(cpu * 1e9) / 1e9
    }

    #[test]
    fn blocks_of_runs_grow_with_their_runs() {
        let alone = past(1.1, 1.0, 1.0);
        assert!(near(seconds(alone, 3.0), 3.3));
        assert!(near(seconds(alone.for_cells(2.0), 0.5), 0.55));
        // On two cores a run takes less time than CPU time.
        assert!(near(seconds(past(0.6, 0.6, 1.0), 2.0), 1.2));
    }

    /// A program that sleeps is no block that waits for images.
    #[test]
    fn runs_that_wait_grow_with_their_rounds() {
        let sleeps = past(3.0, 3.0, 0.03);
        assert!(near(seconds(sleeps, 0.3), 30.0));
        assert!(near(sleeps.runs_ns(0.01e9), 1e9));
        assert!(sleeps.waiting_ns() < 1.0);
    }

    #[test]
    fn blocks_that_wait_for_images_do_not_until_runs_outlast_them() {
        let past = past(1.0, 0.1, 0.1);
        for (cells, cpu, block) in [
            (1.0, 0.1, 1.0),
            (1.0, 0.4, 1.0),
            (1.0, 4.0, 5.0),
            (3.0, 0.3, 3.0),
        ] {
            let took = seconds(past.for_cells(cells), cpu);
            assert!(near(took, block), "{cells} {cpu}: {took}");
        }
    }

    #[test]
    fn without_a_block_it_is_the_cpu_time() {
        assert!(near(seconds(past(0.0, 0.0, 0.0), 2.0), 2.0));
    }
}
