//! The file's tables as they are written.

use std::borrow::Cow;
use std::path::Path;

use indexmap::IndexMap;
use proofmark_build::toolchain::ToolchainDefinition;
use proofmark_build::variants::{Definitions, FlagSet, Matrix, ProgramOptions, SourceDefinition};
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::benchmark::BenchmarkDefinition;
use super::claim::ClaimDefinition;
use super::error::ProjectError;
use super::place;
use super::store::StoreDefinition;

/// The whole file.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    source: IndexMap<String, SourceDefinition>,
    toolchain: IndexMap<String, ToolchainDefinition>,
    flags: IndexMap<String, FlagSet>,
    options: IndexMap<String, ProgramOptions>,
    matrix: Matrix,
    benchmark: IndexMap<String, BenchmarkDefinition>,
    claim: IndexMap<String, ClaimDefinition>,
    store: StoreDefinition,
}

/// What the file says, before its names are looked up.
pub(super) struct Parsed {
    pub(super) definitions: Definitions,
    pub(super) benchmarks: IndexMap<String, BenchmarkDefinition>,
    pub(super) claims: IndexMap<String, ClaimDefinition>,
    pub(super) store: StoreDefinition,
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
        store: read.store,
    })
}

/// The file's tables with their places. A `[claim]` or `[benchmark]` that has keys of its own is
/// the only one: it gets its table's name.
pub(super) fn tables(text: &str) -> Result<Spanned<DeTable<'_>>, toml::de::Error> {
    let mut top = DeTable::parse(text)?;
    for name in ["benchmark", "claim"] {
        if let Some(value) = top.get_mut().get_mut(name) {
            name_the_only(name, value);
        }
    }
    Ok(top)
}

fn name_the_only(name: &'static str, value: &mut Spanned<DeValue<'_>>) {
    let DeValue::Table(table) = value.get_ref() else {
        return;
    };
    if table.values().all(|value| value.get_ref().is_table()) {
        return;
    }
    let span = value.span();
    let only = std::mem::replace(value.get_mut(), DeValue::Table(DeTable::new()));
    if let DeValue::Table(named) = value.get_mut() {
        let key = Spanned::new(span.clone(), Cow::Borrowed(name));
        named.insert(key, Spanned::new(span, only));
    }
}
