//! What tests of correctness said of a build.

use serde::{Deserialize, Serialize};

use crate::private::parts;

/// What a gate said of a build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateResult {
    /// The gate's name.
    pub gate: String,
    /// What came of it.
    pub outcome: GateOutcome,
    /// A sentence for people.
    pub said: String,
}

parts!(GateResult {
    gate: mixed,
    outcome: open,
    said: mixed,
});

/// What came of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GateOutcome {
    /// The build is as correct as base, as far as the gate goes.
    Passed,
    /// It is not.
    Failed,
    /// It was not run.
    NotRun,
}
