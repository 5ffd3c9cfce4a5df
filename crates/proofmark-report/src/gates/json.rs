//! Gates for programs.

use proofmark_evidence::record::GateFound;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::document::{Document, enveloped};

/// Gates of the builds of a matrix.
#[derive(Serialize, JsonSchema)]
pub(crate) struct GatesDocument {
    /// Each gate of each build, base first.
    gates: Vec<GateView>,
}

/// What a gate says of a build.
#[derive(Serialize, JsonSchema)]
pub(crate) struct GateView {
    /// The gate's name.
    gate: String,
    /// The cell's name.
    cell: String,
    /// Whether the build may be timed.
    passed: bool,
    /// What was found, in a sentence.
    said: String,
    /// What differs from base, each in a line.
    differs: Vec<String>,
    /// Tests that are not the same each time on base, and decide nothing.
    flaky: Vec<String>,
}

impl From<&GateFound> for GateView {
    fn from(found: &GateFound) -> Self {
        GateView {
            gate: found.gate.clone(),
            cell: found.cell.clone(),
            passed: found.passed,
            said: found.said.clone(),
            differs: found.differs.clone(),
            flaky: found.flaky.clone(),
        }
    }
}

impl Document for GatesDocument {
    const SCHEMA: &'static str = "gates";
}

/// Gates for programs.
#[must_use]
pub fn json(found: &[GateFound]) -> Value {
    enveloped(&GatesDocument {
        gates: found.iter().map(GateView::from).collect(),
    })
}
