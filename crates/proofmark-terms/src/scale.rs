//! What is said of fixed and proportional cost.

use serde::{Deserialize, Serialize};

use crate::Interval;

/// A part of two builds' lines, new ÷ base.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Part {
    /// Both are told from zero.
    Ratio {
        /// new ÷ base.
        interval: Interval,
    },
    /// The base's part, or the new build's, cannot be told from zero: a ratio would mean nothing.
    NotFromZero,
    /// The base's part, or the new build's, is below zero, as that of a rate is which falls with
    /// the size: a ratio would say neither which is better nor by how much.
    BelowZero,
}

/// A mean over blocks with its bounds, in the unit of the values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bounded {
    /// The mean of the blocks.
    pub estimate: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}
