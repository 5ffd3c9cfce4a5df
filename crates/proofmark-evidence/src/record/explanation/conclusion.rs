//! What a comparison and sampled blocks say together.

use serde::{Deserialize, Serialize};

use super::super::Cause;
use super::{CountFound, DifferenceFound, PlaceFound, PlacementFound};
use crate::private::parts;

/// What the comparison and the sampled blocks say together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExplanationConclusion {
    /// The first cause.
    pub cause: Cause,
    /// CPU time of a sampled run, new less base, as a share of the base's; absent where runs could
    /// not be sampled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<DifferenceFound>,
    /// Its wall time, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall: Option<DifferenceFound>,
    /// Where the CPU time is, that with the largest difference first.
    pub places: Vec<PlaceFound>,
    /// Of those, how many were held against noise; intervals hold for all of them together.
    pub compared: u32,
    /// Counts of events of a run.
    pub counts: Vec<CountFound>,
    /// What the images as shipped say of a difference by place; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<PlacementFound>,
    /// Blocks.
    pub blocks: u32,
    /// Milliseconds of CPU time of a run of the base.
    pub base_run_ms: f64,
    /// Milliseconds in all blocks.
    pub took_ms: u64,
}

parts!(ExplanationConclusion {
    cause: inner,
    cpu: open,
    wall: open,
    places: inner,
    compared: open,
    counts: open,
    placement: inner,
    blocks: open,
    base_run_ms: open,
    took_ms: open,
});
