//! Shares and spreads of an attribution for programs.

use proofmark_evidence::record::{LayoutSpread, ShareFound};
use schemars::JsonSchema;
use serde::Serialize;

/// Standard deviations, relative.
#[derive(Serialize, JsonSchema)]
pub(super) struct SpreadEntry {
    /// Between layouts, noise removed.
    estimate: f64,
    /// Lower bound, 95 %; 0 where layouts may be all alike.
    low: f64,
    /// Upper bound, 95 %.
    high: f64,
    /// Of one measurement of a layout.
    noise: f64,
}

/// A share with its own 95 % interval, 0 to 1.
#[derive(Serialize, JsonSchema)]
pub(super) struct ShareEntry {
    /// The estimate.
    share: f64,
    /// Lower bound.
    low: f64,
    /// Upper bound.
    high: f64,
}

impl SpreadEntry {
    pub(super) fn of(spread: &LayoutSpread) -> SpreadEntry {
        SpreadEntry {
            estimate: spread.estimate,
            low: spread.low,
            high: spread.high,
            noise: spread.noise,
        }
    }
}

pub(super) fn share(found: &ShareFound) -> ShareEntry {
    ShareEntry {
        share: found.share,
        low: found.low,
        high: found.high,
    }
}
