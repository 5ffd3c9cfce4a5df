//! Toolchains for programs.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::rows::{Found, ToolchainFound};
use crate::document::{Document, enveloped};

/// Toolchains.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ToolchainsDocument {
    /// Each toolchain, in the order of the project's file.
    toolchains: Vec<ToolchainEntry>,
}

/// A toolchain, found or not.
#[derive(Serialize, JsonSchema)]
struct ToolchainEntry {
    /// As the project calls it.
    name: String,
    /// What is wrong with it and the next step; null where it can be used.
    problem: Option<String>,
    /// What was found; null where it cannot be used.
    found: Option<ToolchainFound>,
}

impl Document for ToolchainsDocument {
    const SCHEMA: &'static str = "toolchains";
}

/// Toolchains for programs.
#[must_use]
pub fn json(found: &[Found]) -> Value {
    let entry = |found: &Found| ToolchainEntry {
        name: found.name.clone(),
        problem: found.toolchain.as_ref().err().cloned(),
        found: found.toolchain.as_ref().ok().cloned(),
    };
    enveloped(&ToolchainsDocument {
        toolchains: found.iter().map(entry).collect(),
    })
}
