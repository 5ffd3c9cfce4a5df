//! What is shown of toolchains.

use schemars::JsonSchema;
use serde::Serialize;

/// A toolchain as it was found, or what is wrong with it and the next step.
#[derive(Clone, Debug)]
pub struct Found {
    /// As the project calls it.
    pub name: String,
    /// What was found.
    pub toolchain: Result<ToolchainFound, String>,
}

/// A toolchain that can be used.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ToolchainFound {
    /// The compiler.
    pub driver: String,
    /// The package that it was installed from.
    pub package: Option<String>,
    /// In numbers: `19.1.7`.
    pub version: String,
    /// The first line that it says about its version.
    pub reported: String,
    /// What it compiles for.
    pub target: String,
    /// The first line that its linker says about its version.
    pub linker: String,
    /// What it switches on by itself.
    pub defaults: Vec<String>,
    /// BLAKE3 over its programs, the libraries that they load, its target and its options, in
    /// hexadecimal.
    pub hash: String,
    /// Its programs: role, file, BLAKE3.
    pub tools: Vec<ToolEntry>,
}

/// A program of a toolchain.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ToolEntry {
    /// `driver`, `compiler`, `assembler`, `linker`.
    pub role: String,
    /// The file, symbolic links resolved.
    pub path: String,
    /// BLAKE3 of it, in hexadecimal.
    pub hash: String,
}

/// The family and the version of a compiler: `clang 19.1.7`. `reported` is the first line that it
/// says about its version.
#[must_use]
pub fn compiler(reported: &str, version: &str) -> String {
    let clang = reported.contains("clang");
    let family = if clang { "clang" } else { "gcc" };
    format!("{family} {version}")
}
