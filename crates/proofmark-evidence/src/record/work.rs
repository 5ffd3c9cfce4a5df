//! Whether a program did its work, as far as it can be told.

use serde::{Deserialize, Serialize};

/// What tells how much a program did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// The metric, which is a time.
    Time,
    /// CPU time.
    CpuTime,
    /// Instructions.
    Instructions,
}

/// Why no output shows that the work was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unshown {
    /// Nothing was printed.
    Silent,
    /// What was printed before an interruption was not kept.
    NotKept,
    /// Outputs were not compared.
    NotCompared,
}
