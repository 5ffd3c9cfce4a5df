//! What the build of a cell printed, for programs.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::document::{Document, enveloped};

/// What the build of a cell printed.
#[derive(Serialize, JsonSchema)]
pub(crate) struct LogDocument {
    /// The cell's name.
    cell: String,
    /// The file.
    log: String,
    /// What is in it; bytes that are not UTF-8 are replaced.
    output: String,
    /// Why the build failed; null where it did not.
    problem: Option<String>,
}

impl Document for LogDocument {
    const SCHEMA: &'static str = "matrix-log";
}

/// What the build of a cell printed, for programs.
#[must_use]
pub fn log_json(cell: &str, log: &Path, output: &str, problem: Option<&str>) -> Value {
    enveloped(&LogDocument {
        cell: cell.to_owned(),
        log: log.to_string_lossy().into_owned(),
        output: output.to_owned(),
        problem: problem.map(str::to_owned),
    })
}
