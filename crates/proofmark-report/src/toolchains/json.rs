//! Toolchains for programs.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::Found;
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

/// A toolchain that can be used.
#[derive(Serialize, JsonSchema)]
struct ToolchainFound {
    /// The compiler.
    driver: String,
    /// The package that it was installed from.
    package: Option<String>,
    /// In numbers: `19.1.7`.
    version: String,
    /// The first line that it says about its version.
    reported: String,
    /// What it compiles for.
    target: String,
    /// The first line that its linker says about its version.
    linker: String,
    /// What it switches on by itself.
    defaults: Vec<String>,
    /// BLAKE3 over its programs, the libraries that they load, its target and its options, in
    /// hexadecimal.
    hash: String,
    /// Its programs: role, file, BLAKE3.
    tools: Vec<ToolEntry>,
}

/// A program of a toolchain.
#[derive(Serialize, JsonSchema)]
struct ToolEntry {
    /// `driver`, `compiler`, `assembler`, `linker`.
    role: String,
    /// The file, symbolic links resolved.
    path: String,
    /// BLAKE3 of it, in hexadecimal.
    hash: String,
}

impl Document for ToolchainsDocument {
    const SCHEMA: &'static str = "toolchains";
}

/// Toolchains for programs.
#[must_use]
pub fn json(found: &[Found]) -> Value {
    let entry = |(name, found): &Found| ToolchainEntry {
        name: name.clone(),
        problem: found.as_ref().err().map(ToString::to_string),
        found: found.as_ref().ok().map(|of| ToolchainFound {
            driver: of.driver.to_string_lossy().into_owned(),
            package: of.package.clone(),
            version: of.version.clone(),
            reported: of.reported.clone(),
            target: of.target.clone(),
            linker: of.linker.clone(),
            defaults: of
                .defaults
                .iter()
                .map(|of| of.feature.words().to_owned())
                .collect(),
            hash: of.hash.clone(),
            tools: of
                .tools
                .iter()
                .map(|tool| ToolEntry {
                    role: tool.role.to_string(),
                    path: tool.path.to_string_lossy().into_owned(),
                    hash: tool.hash.clone(),
                })
                .collect(),
        }),
    };
    enveloped(&ToolchainsDocument {
        toolchains: found.iter().map(entry).collect(),
    })
}
