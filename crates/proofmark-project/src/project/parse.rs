//! The whole file, before its names are looked up.

use std::path::Path;

use indexmap::IndexMap;
use serde::Deserialize;

use super::error::ProjectError;
use super::place;
use super::tables::tables;
use crate::definition::{
    BenchmarkDefinition, ClaimDefinition, Definitions, FlagSet, GateDefinition, HistoryDefinition,
    IdeaDefinition, LedgerDefinition, MatrixDefinition, ProgramOptions, SourceDefinition,
    StackDefinition, StoreDefinition, ToolchainDefinition,
};

/// The whole file.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    source: IndexMap<String, SourceDefinition>,
    toolchain: IndexMap<String, ToolchainDefinition>,
    flags: IndexMap<String, FlagSet>,
    options: IndexMap<String, ProgramOptions>,
    matrix: MatrixDefinition,
    benchmark: IndexMap<String, BenchmarkDefinition>,
    claim: IndexMap<String, ClaimDefinition>,
    gate: IndexMap<String, GateDefinition>,
    store: StoreDefinition,
    history: Option<HistoryDefinition>,
    ledger: LedgerDefinition,
    idea: IndexMap<String, IdeaDefinition>,
    stack: IndexMap<String, StackDefinition>,
}

/// What the file says, before its names are looked up.
pub(super) struct Parsed {
    pub(super) definitions: Definitions,
    pub(super) benchmarks: IndexMap<String, BenchmarkDefinition>,
    pub(super) claims: IndexMap<String, ClaimDefinition>,
    pub(super) gates: IndexMap<String, GateDefinition>,
    pub(super) store: StoreDefinition,
    pub(super) history: Option<HistoryDefinition>,
    pub(super) ledger: LedgerDefinition,
    pub(super) ideas: IndexMap<String, IdeaDefinition>,
    pub(super) stacks: IndexMap<String, StackDefinition>,
}

pub(super) fn parse(text: &str, file: &Path) -> Result<Parsed, ProjectError> {
    let wrong = |error| place::shape(text, file, &error);
    let tables = tables(text).map_err(wrong)?;
    let read = File::deserialize(toml::de::Deserializer::from(tables)).map_err(wrong)?;
    Ok(Parsed {
        definitions: Definitions {
            sources: read.source,
            toolchains: read.toolchain,
            flags: read.flags,
            options: read.options,
            matrix: read.matrix,
        },
        benchmarks: read.benchmark,
        claims: read.claim,
        gates: read.gate,
        store: read.store,
        history: read.history,
        ledger: read.ledger,
        ideas: read.idea,
        stacks: read.stack,
    })
}

impl StoreDefinition {
    /// Reads it from a project's file, which need not hold a matrix of builds.
    ///
    /// # Errors
    /// When the file cannot be read, is no TOML, or has a key without a meaning.
    pub fn read(file: &Path) -> Result<StoreDefinition, ProjectError> {
        let text = std::fs::read_to_string(file).map_err(|source| ProjectError::Read {
            file: file.to_owned(),
            source,
        })?;
        Ok(parse(&text, file)?.store)
    }
}
