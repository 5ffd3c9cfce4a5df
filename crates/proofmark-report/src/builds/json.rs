//! Captured builds for programs.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::rows::{BuildView, RemovedView};
use crate::document::{Document, enveloped};

/// The captured builds of a project.
#[derive(Serialize, JsonSchema)]
pub(crate) struct BuildsDocument {
    /// Those that can be read, by name.
    builds: Vec<BuildView>,
}

/// Captured builds that were removed.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RemovedDocument {
    /// Each build that was named.
    removed: Vec<RemovedView>,
}

impl Document for BuildView {
    const SCHEMA: &'static str = "build";
}

impl Document for BuildsDocument {
    const SCHEMA: &'static str = "builds";
}

impl Document for RemovedDocument {
    const SCHEMA: &'static str = "removed";
}

/// All captured builds for programs.
#[must_use]
pub fn json(builds: Vec<BuildView>) -> Value {
    enveloped(&BuildsDocument { builds })
}

/// One captured build for programs.
#[must_use]
pub fn one(build: &BuildView) -> Value {
    enveloped(build)
}

/// What was removed, by name, for programs.
#[must_use]
pub fn removed(removed: Vec<RemovedView>) -> Value {
    enveloped(&RemovedDocument { removed })
}
