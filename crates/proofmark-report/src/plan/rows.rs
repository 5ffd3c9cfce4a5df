//! What a plan comes to: its benchmarks, its builds, and how long the missing ones take.

use std::path::PathBuf;

use proofmark_conclude::{MatrixForecast, PlannedMember};

/// A plan with what only the project's file knows.
#[derive(Debug)]
pub struct PlanView<'a> {
    /// In the order of the matrix.
    pub cells: Vec<PlannedCell>,
    /// Groups of cells, by name, that are one build though their names say that they differ.
    pub same: Vec<Vec<String>>,
    /// Builds made at a time.
    pub parallel: usize,
    /// What measuring takes.
    pub forecast: &'a MatrixForecast,
}

/// A cell of a plan.
#[derive(Clone, Debug)]
pub struct PlannedCell {
    /// Its words.
    pub name: String,
    /// Others are compared with it.
    pub baseline: bool,
    /// Its toolchain.
    pub toolchain: String,
    /// The family and the version of its compiler; none where it was not found.
    pub compiler: Option<String>,
    /// Its source.
    pub source: String,
    /// Its flag sets.
    pub flags: Vec<String>,
    /// Its program options.
    pub options: Option<String>,
    /// BLAKE3 of everything that goes into the build, in hexadecimal; none where something of it is
    /// not there.
    pub key: Option<String>,
    /// Whether there is a build.
    pub state: PlannedState,
    /// The build's own output, where it was started.
    pub log: Option<PathBuf>,
}

/// Whether a cell has a build.
#[derive(Clone, Debug)]
pub enum PlannedState {
    /// It is there.
    Built {
        /// How long it took, in seconds.
        seconds: f64,
    },
    /// It has to be built.
    Missing {
        /// The same has failed before, for this reason.
        failed_before: Option<String>,
    },
    /// It cannot be built as things are.
    Blocked {
        /// Why.
        why: String,
    },
}

/// Each benchmark with how many sizes of it are run, at least 1.
pub(super) fn benchmarks(forecast: &MatrixForecast) -> Vec<(&str, usize)> {
    let same = |a: &PlannedMember, b: &PlannedMember| a.benchmark == b.benchmark;
    let sizes = forecast.members.chunk_by(same);
    sizes
        .map(|sizes| (sizes[0].benchmark.as_str(), sizes.len()))
        .collect()
}

/// Different builds, and those of them that are missing and can be made.
pub(super) fn builds(view: &PlanView<'_>) -> (usize, usize) {
    let mut keys: Vec<&str> = Vec::new();
    let mut missing = 0;
    for planned in &view.cells {
        let Some(key) = &planned.key else { continue };
        if !keys.contains(&key.as_str()) {
            keys.push(key);
            missing += usize::from(matches!(planned.state, PlannedState::Missing { .. }));
        }
    }
    (keys.len(), missing)
}

/// Seconds that the missing builds take: each as long as those that are there of its source and
/// toolchain, else of its source, else as all of them; `None` where none is there.
#[expect(clippy::cast_precision_loss, reason = "a rough figure")]
pub(super) fn expected(view: &PlanView<'_>) -> Option<f64> {
    let cells = &view.cells;
    let mut keys: Vec<&str> = Vec::new();
    let mut times: Vec<f64> = Vec::new();
    for planned in cells {
        let Some(key) = planned.key.as_deref() else {
            continue;
        };
        if matches!(planned.state, PlannedState::Missing { .. }) && !keys.contains(&key) {
            keys.push(key);
            times.push(like(cells, planned)?);
        }
    }
    let parallel = view.parallel.clamp(1, times.len().max(1));
    let longest = times.iter().copied().reduce(f64::max)?;
    Some(longest.max(times.iter().sum::<f64>() / parallel as f64))
}

/// The mean time of the builds that are most like this one.
#[expect(clippy::cast_precision_loss, reason = "a rough figure")]
fn like(cells: &[PlannedCell], missing: &PlannedCell) -> Option<f64> {
    let took = |alike: &dyn Fn(&PlannedCell) -> bool| {
        let alike = cells.iter().filter(|planned| alike(planned));
        let times = alike.filter_map(|planned| match planned.state {
            PlannedState::Built { seconds } => Some(seconds),
            _ => None,
        });
        let times: Vec<f64> = times.collect();
        (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64)
    };
    let of_source = |planned: &PlannedCell| planned.source == missing.source;
    let of_both =
        |planned: &PlannedCell| of_source(planned) && planned.toolchain == missing.toolchain;
    took(&of_both)
        .or_else(|| took(&of_source))
        .or_else(|| took(&|_| true))
}
