//! A recorded experiment for programs: JSON with a schema version, and the schema.
//!
//! The shape is a contract of its own: records may gain fields in the store without a change here.

mod certificate;
pub(crate) mod comparison;
mod document;
mod machine_code;
mod null;
mod summary;
pub(crate) mod words;

use proofmark_evidence::{Recorded, Summary};
use serde::Serialize;
use serde_json::{Value, json};

use document::Document;
use summary::Listing;

/// The version of the documents' shape. It rises when a program that reads the present shape could
/// be misled by the next one; new fields alone do not raise it.
pub const SCHEMA_VERSION: u32 = 1;

/// An experiment as JSON, valid by [`json_schema`]. Raw samples are left to CSV.
#[must_use]
pub fn json(recorded: &Recorded) -> Value {
    value(&Document::of(recorded))
}

/// The schema of [`json`], published as `docs/schema/comparison.schema.json`.
#[must_use]
pub fn json_schema() -> Value {
    schemars::schema_for!(Document).to_value()
}

/// Experiments at a glance as JSON, valid by [`summaries_schema`].
#[must_use]
pub fn summaries_json(summaries: &[Summary]) -> Value {
    value(&Listing::of(summaries))
}

/// The schema of [`summaries_json`], published as `docs/schema/experiments.schema.json`.
#[must_use]
pub fn summaries_schema() -> Value {
    schemars::schema_for!(Listing).to_value()
}

/// Every shape here has names for keys, which is all that JSON asks for; a failure would be a flaw
/// of this crate, and says so.
pub(crate) fn value(document: &impl Serialize) -> Value {
    serde_json::to_value(document).unwrap_or_else(
        |error| json!({ "schema_version": SCHEMA_VERSION, "error": error.to_string() }),
    )
}
