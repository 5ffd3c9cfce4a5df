//! Builds that are one program, for programs.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Equals, Same};
use crate::document::{Document, enveloped};

/// Builds that are one program, so that nothing was measured.
#[derive(Serialize, JsonSchema)]
pub(crate) struct EqualDocument {
    /// The name of the base.
    base: String,
    /// The others.
    equal: Vec<EqualView>,
}

/// A build that is the base.
#[derive(Serialize, JsonSchema)]
struct EqualView {
    /// Its name.
    name: String,
    /// How that is known.
    how: SameWord,
}

/// How it is known that two builds are one program.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::enum_variant_names, reason = "they are words of the document")]
enum SameWord {
    /// The same bytes, libraries included.
    SameBytes,
    /// They differ in debug information, symbol names or the build id alone.
    SameWhenLoaded,
    /// One program, with trees of the same files.
    SameTrees,
}

impl Document for EqualDocument {
    const SCHEMA: &'static str = "equal";
}

/// Builds that are one program, for programs.
#[must_use]
pub fn json(equals: &Equals<'_>) -> Value {
    let view = |(name, same): &(&str, Same)| EqualView {
        name: (*name).to_owned(),
        how: match same {
            Same::Bytes => SameWord::SameBytes,
            Same::Loaded => SameWord::SameWhenLoaded,
            Same::Trees => SameWord::SameTrees,
        },
    };
    enveloped(&EqualDocument {
        base: equals.base.to_owned(),
        equal: equals.others.iter().map(view).collect(),
    })
}
