//! What a plan comes to: its benchmarks, its builds, and how long the missing ones take.

use proofmark_conclude::{MatrixForecast, PlannedMember};
use proofmark_project::{Plan, Planned, State};

use super::PlanView;

/// Each benchmark with how many sizes of it are run, at least 1.
pub(super) fn benchmarks(forecast: &MatrixForecast) -> Vec<(&str, usize)> {
    let same = |a: &PlannedMember, b: &PlannedMember| a.benchmark == b.benchmark;
    let sizes = forecast.members.chunk_by(same);
    sizes
        .map(|sizes| (sizes[0].benchmark.as_str(), sizes.len()))
        .collect()
}

/// Different builds, and those of them that are missing and can be made.
pub(super) fn builds(plan: &Plan) -> (usize, usize) {
    let mut keys: Vec<&str> = Vec::new();
    let mut missing = 0;
    for planned in &plan.cells {
        let Some(key) = &planned.key else { continue };
        if !keys.contains(&key.as_str()) {
            keys.push(key);
            missing += usize::from(matches!(planned.state, State::Missing { .. }));
        }
    }
    (keys.len(), missing)
}

/// Seconds that the missing builds take: each as long as those that are there of its source and
/// toolchain, else of its source, else as all of them; `None` where none is there.
#[expect(clippy::cast_precision_loss, reason = "a rough figure")]
pub(super) fn expected(view: &PlanView<'_>) -> Option<f64> {
    let cells = &view.plan.cells;
    let mut keys: Vec<&str> = Vec::new();
    let mut times: Vec<f64> = Vec::new();
    for planned in cells {
        let Some(key) = planned.key.as_deref() else {
            continue;
        };
        if matches!(planned.state, State::Missing { .. }) && !keys.contains(&key) {
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
fn like(cells: &[Planned], missing: &Planned) -> Option<f64> {
    let axes = &missing.cell.axes;
    let took = |alike: &dyn Fn(&Planned) -> bool| {
        let alike = cells.iter().filter(|planned| alike(planned));
        let times = alike.filter_map(|planned| match planned.state {
            State::Built { seconds } => Some(seconds),
            _ => None,
        });
        let times: Vec<f64> = times.collect();
        (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64)
    };
    let of_source = |planned: &Planned| planned.cell.axes.source == axes.source;
    let of_both =
        |planned: &Planned| of_source(planned) && planned.cell.axes.toolchain == axes.toolchain;
    took(&of_both)
        .or_else(|| took(&of_source))
        .or_else(|| took(&|_| true))
}
