//! An explanation for programs: JSON with a schema.

mod asked;
mod blocks;
mod conclusion;
mod placed;
mod places;
mod processor;

use proofmark_evidence::record::SampledLayouts;
use proofmark_evidence::{Recorded, RecordedExplanation};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use self::asked::{AskedEntry, asked};
use self::blocks::{BlockEntry, block};
use self::conclusion::{ConclusionEntry, concluded};
use self::placed::{PlacedEntry, placed};
use self::processor::{HardwareEntry, SimulatedEntry, hardware, simulated};
use super::explained::Explained;
use super::rows::notes;
use crate::document::{Document, enveloped};
use crate::remedies::{Remedies, RemediesEntry, entry};

/// An explanation.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ExplanationDocument {
    /// Its name in the store: 64 hexadecimal digits.
    id: String,
    /// The name of the comparison that it is of.
    comparison: String,
    /// The base's name.
    base: String,
    /// The name of the build that is held against it.
    new: String,
    /// `drawn`, or `as-shipped` where layouts were not varied.
    layouts: &'static str,
    /// Why they were not; null where they were.
    layouts_why: Option<String>,
    /// Runs of each build in a block.
    runs: u32,
    /// Why runs could not be sampled; null where they could.
    unsampled: Option<String>,
    /// What traced runs asked of the system; null where they could not be traced.
    asked: Option<AskedEntry>,
    /// Why they could not; null where they could.
    untraced: Option<String>,
    /// One run of each build's own image in a model of caches and branches, which is no
    /// measurement; null where there was none.
    simulated: Option<SimulatedEntry>,
    /// Why there was none; null where there was.
    unsimulated: Option<String>,
    /// What the processor's own counters say of the images as shipped; null where there are none.
    hardware: Option<HardwareEntry>,
    /// Why there are none; null where there are.
    no_hardware: Option<String>,
    /// Where the hot code of the images as shipped stands; null where nobody can say.
    placed: Option<PlacedEntry>,
    /// Why nobody can; null where it is said.
    not_placed: Option<String>,
    /// The conclusion; null of an explanation that was interrupted.
    conclusion: Option<ConclusionEntry>,
    /// Every block, in the order of measurement.
    blocks: Vec<BlockEntry>,
    /// What a reader must know, in words.
    notes: Vec<String>,
    /// What was tried against it with `--remedies`; null where nobody asked. It is not kept with
    /// the explanation: its comparisons are.
    remedies: Option<RemediesEntry>,
}

impl Document for ExplanationDocument {
    const SCHEMA: &'static str = "explanation";
}

/// An explanation for programs, with remedies where some were tried.
#[must_use]
pub fn json(
    recorded: &RecordedExplanation,
    comparison: &Recorded,
    remedies: Option<&Remedies>,
) -> Value {
    let explanation = &recorded.explanation;
    let explained = Explained::of(recorded, comparison);
    let builds = &comparison.experiment.builds;
    let name = |at: usize| {
        builds
            .get(at)
            .map_or_else(String::new, |build| build.name.clone())
    };
    let (asked, untraced) = asked(&explanation.asked);
    let (simulated, unsimulated) = simulated(explanation.simulated.as_ref());
    let (hardware, no_hardware) = hardware(explanation.hardware.as_ref());
    let (placed, not_placed) = placed(explanation.placed.as_ref());
    let (layouts, layouts_why) = match &explanation.layouts {
        SampledLayouts::Drawn => ("drawn", None),
        SampledLayouts::AsShipped { why } => ("as-shipped", Some(why.clone())),
    };
    enveloped(&ExplanationDocument {
        id: recorded.id.to_string(),
        comparison: explanation.comparison.to_string(),
        base: name(0),
        new: name(explanation.build.place()),
        layouts,
        layouts_why,
        runs: explanation.runs,
        unsampled: explanation.unsampled.clone(),
        asked,
        untraced,
        simulated,
        unsimulated,
        hardware,
        no_hardware,
        placed,
        not_placed,
        conclusion: explained.map(concluded),
        blocks: recorded.blocks.iter().map(block).collect(),
        notes: explained.map(notes).unwrap_or_default(),
        remedies: remedies.map(entry),
    })
}
