//! Benchmarks with a scale, for programs.

use proofmark_evidence::record::{ScaleEffect, ScaleLine};
use proofmark_stats::{Bounded, Part};
use schemars::JsonSchema;
use serde::Serialize;

use crate::document::words::Ratio;

/// A mean with its bounds, in the metric's unit: nanoseconds, bytes, or as printed.
#[derive(Serialize, JsonSchema)]
struct BoundedView {
    estimate: f64,
    low: f64,
    high: f64,
}

/// T = a + b·N of one cell.
#[derive(Serialize, JsonSchema)]
pub(super) struct LineView {
    /// The benchmark's name.
    benchmark: String,
    cell: u32,
    blocks: u32,
    /// a.
    fixed: BoundedView,
    /// b.
    slope: BoundedView,
    /// Largest distance of a size's mean from the line, relative, beyond chance and what digits, a
    /// coarse clock and slices hide.
    misfit: f64,
}

/// One cell against one baseline, by parts.
#[derive(Serialize, JsonSchema)]
pub(super) struct ScaleView {
    /// The benchmark's name.
    benchmark: String,
    cell: u32,
    baseline: u32,
    /// a of the cell ÷ a of the baseline; absent where one of them is not told from zero, or is
    /// below it.
    fixed: Option<Ratio>,
    /// a of the cell − a of the baseline.
    fixed_beyond: BoundedView,
    /// b of the cell ÷ b of the baseline; absent where one of them is not told from zero, or is
    /// below it.
    proportional: Option<Ratio>,
    /// b of the cell − b of the baseline.
    proportional_beyond: Option<BoundedView>,
}

impl From<&Bounded> for BoundedView {
    fn from(bounded: &Bounded) -> Self {
        BoundedView {
            estimate: bounded.estimate,
            low: bounded.low,
            high: bounded.high,
        }
    }
}

impl From<&ScaleLine> for LineView {
    fn from(line: &ScaleLine) -> Self {
        LineView {
            benchmark: line.benchmark.clone(),
            cell: line.cell.0,
            blocks: line.blocks,
            fixed: (&line.fixed).into(),
            slope: (&line.slope).into(),
            misfit: line.misfit,
        }
    }
}

impl From<&ScaleEffect> for ScaleView {
    fn from(effect: &ScaleEffect) -> Self {
        let ratio = |part: &Part| match part {
            Part::Ratio { interval } => Some(interval.into()),
            Part::NotFromZero | Part::BelowZero => None,
        };
        ScaleView {
            benchmark: effect.benchmark.clone(),
            cell: effect.cell.0,
            baseline: effect.baseline.0,
            fixed: ratio(&effect.fixed),
            fixed_beyond: (&effect.fixed_beyond).into(),
            proportional: ratio(&effect.proportional),
            proportional_beyond: effect.proportional_beyond.as_ref().map(Into::into),
        }
    }
}
