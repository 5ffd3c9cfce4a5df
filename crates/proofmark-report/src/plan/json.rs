//! A plan of a matrix for programs.

use proofmark_conclude::{MatrixForecast, PlannedLayouts, PlannedMember};
use proofmark_evidence::record::LayoutControl;
use proofmark_terms::Population;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::rows::{PlanView, PlannedState, benchmarks, builds, expected};
use crate::document::{Document, enveloped};
use crate::wording::{drawing_name, drawing_reason};

/// A plan.
#[derive(Serialize, JsonSchema)]
pub(crate) struct PlanDocument {
    /// In the order of the matrix.
    cells: Vec<CellEntry>,
    /// Groups of cells, by name, that are one build though their names say that they differ.
    same: Vec<Vec<String>>,
    /// Different builds.
    builds: usize,
    /// Builds that are missing and can be made.
    missing: usize,
    /// Seconds that making them takes, by those that are there; null where none is.
    expected_seconds: Option<f64>,
    /// Benchmarks with how many sizes of each are run.
    benchmarks: Vec<BenchmarkEntry>,
    /// What measuring takes.
    measuring: MeasuringEntry,
}

/// What measuring a matrix takes.
#[derive(Serialize, JsonSchema)]
struct MeasuringEntry {
    /// How placement will be varied: `matched`, `jittered`, `inside`, `independent`, `as-shipped`;
    /// `by-code` where a run finds out whether the cells share enough code to be matched, `refused`
    /// where a run would refuse.
    layouts: String,
    /// The layouts that are drawn from: `pad` or `shuffle`; null where placement is not varied.
    population: Option<String>,
    /// Why layouts are not matched, not varied or refused.
    reason: Option<String>,
    /// Each linker with its cells: the one that made the build where there is one, otherwise the
    /// toolchain's own.
    linkers: Vec<LinkerEntry>,
    /// Fewest blocks of each benchmark at each size.
    blocks_at_least: u32,
    /// Most blocks of each benchmark at each size.
    blocks_at_most: u32,
    /// Most seconds to spend, pilots included, where a budget was given; a run refuses where it
    /// does not hold the fewest blocks.
    budget_seconds: Option<f64>,
    /// Seconds that the fewest blocks take, pilots aside; null where a benchmark was never
    /// measured.
    seconds_at_least: Option<f64>,
    /// Seconds that the most blocks take, or the budget where it holds the fewest; null where a
    /// benchmark was never measured.
    seconds_at_most: Option<f64>,
    /// A block of each benchmark at each size.
    blocks: Vec<BlockEntry>,
    /// The matrix of the same builds that a run goes on with.
    begun: Option<String>,
}

/// A linker.
#[derive(Serialize, JsonSchema)]
struct LinkerEntry {
    /// The first line that it says about its version.
    linker: String,
    /// The cells that it links.
    cells: Vec<String>,
}

/// A block of one benchmark.
#[derive(Serialize, JsonSchema)]
struct BlockEntry {
    /// The benchmark's name.
    benchmark: String,
    /// The value of its scale; null where it has none.
    size: Option<u64>,
    /// Seconds of a block of all cells; null where it was never measured.
    seconds: Option<f64>,
    /// Rounds of a block.
    rounds: Option<u32>,
    /// Cells that were never measured, taken to be like the others.
    guessed_cells: Option<u32>,
    /// The matrix that measured it.
    by: Option<String>,
}

/// A cell of a matrix.
#[derive(Serialize, JsonSchema)]
struct CellEntry {
    /// Its words.
    name: String,
    /// Others are compared with it.
    baseline: bool,
    /// Its toolchain.
    toolchain: String,
    /// Its source.
    source: String,
    /// Its flag sets.
    flags: Vec<String>,
    /// Its program options.
    options: Option<String>,
    /// BLAKE3 of everything that goes into the build; null where something of it is not there.
    key: Option<String>,
    /// `built`, `missing` or `blocked`.
    state: String,
    /// Why it is blocked, or failed before.
    why: Option<String>,
    /// How long the build took.
    seconds: Option<f64>,
    /// The build's own output, where it was started.
    log: Option<String>,
}

/// A benchmark of a plan.
#[derive(Serialize, JsonSchema)]
struct BenchmarkEntry {
    /// Its name.
    name: String,
    /// Sizes that are run, at least 1.
    sizes: usize,
}

impl Document for PlanDocument {
    const SCHEMA: &'static str = "matrix-plan";
}

/// A plan for programs.
#[must_use]
pub fn json(view: &PlanView<'_>) -> Value {
    let cells = view.cells.iter().map(|planned| {
        let (state, why, seconds) = match &planned.state {
            PlannedState::Built { seconds } => ("built", None, Some(*seconds)),
            PlannedState::Missing { failed_before } => ("missing", failed_before.clone(), None),
            PlannedState::Blocked { why } => ("blocked", Some(why.clone()), None),
        };
        CellEntry {
            name: planned.name.clone(),
            baseline: planned.baseline,
            toolchain: planned.toolchain.clone(),
            source: planned.source.clone(),
            flags: planned.flags.clone(),
            options: planned.options.clone(),
            key: planned.key.clone(),
            state: state.to_owned(),
            why,
            seconds,
            log: planned
                .log
                .as_ref()
                .map(|log| log.to_string_lossy().into_owned()),
        }
    });
    let (all, missing) = builds(view);
    enveloped(&PlanDocument {
        cells: cells.collect(),
        same: view.same.clone(),
        builds: all,
        missing,
        expected_seconds: expected(view),
        benchmarks: benchmarks(view.forecast)
            .into_iter()
            .map(|(name, sizes)| BenchmarkEntry {
                name: name.to_owned(),
                sizes,
            })
            .collect(),
        measuring: measuring(view.forecast),
    })
}

fn measuring(forecast: &MatrixForecast) -> MeasuringEntry {
    let (layouts, population, reason) = layouts(&forecast.layouts);
    let seconds = forecast.seconds();
    let linker = |(linker, cells): &(String, Vec<String>)| LinkerEntry {
        linker: linker.clone(),
        cells: cells.clone(),
    };
    let block = |member: &PlannedMember| BlockEntry {
        benchmark: member.benchmark.clone(),
        size: member.size.as_ref().map(|size| size.value),
        seconds: member.block.as_ref().map(|block| block.seconds),
        rounds: member.block.as_ref().map(|block| block.rounds),
        guessed_cells: member.block.as_ref().map(|block| block.guessed),
        by: member.block.as_ref().map(|block| block.by.to_string()),
    };
    MeasuringEntry {
        layouts: layouts.to_owned(),
        population: population.map(|population| population.to_string()),
        reason,
        linkers: forecast.linkers.iter().map(linker).collect(),
        blocks_at_least: forecast.min_blocks,
        blocks_at_most: forecast.max_blocks,
        #[expect(clippy::cast_precision_loss, reason = "far below 2⁵³ milliseconds")]
        budget_seconds: forecast.budget_ms.map(|budget| budget as f64 / 1e3),
        seconds_at_least: seconds.map(|(least, _)| least),
        seconds_at_most: seconds.map(|(_, most)| most),
        blocks: forecast.members.iter().map(block).collect(),
        begun: forecast.begun.as_ref().map(|begun| begun.id.to_string()),
    }
}

fn layouts(planned: &PlannedLayouts) -> (&'static str, Option<Population>, Option<String>) {
    match planned {
        PlannedLayouts::Known(LayoutControl::Drawn { how, population }) => {
            let reason = drawing_reason(how).map(str::to_owned);
            (drawing_name(how), Some(*population), reason)
        }
        PlannedLayouts::Known(LayoutControl::AsShipped { reason }) => {
            ("as-shipped", None, Some(reason.clone()))
        }
        PlannedLayouts::ByCode { population, .. } => ("by-code", Some(*population), None),
        PlannedLayouts::Refused(why) => ("refused", None, Some(why.clone())),
    }
}
