//! Documents for programs: JSON that begins alike for every command, and the schema of each.
//!
//! A document names its schema and the version of its shape; the rest is the subject's own. The
//! shapes are contracts of their own: records may gain fields in the store without a change here.

pub(crate) mod trees;
pub(crate) mod words;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

/// The shape of a document.
pub(crate) trait Document: Serialize + JsonSchema {
    /// The schema's name, which is published as `docs/schema/NAME.schema.json`.
    const SCHEMA: &'static str;
    /// The version of the shape. It rises when a program that reads the present shape could be
    /// misled by the next one; new fields alone do not raise it.
    const VERSION: u32 = 1;
}

/// The document with its beginning.
///
/// Every shape here has names for keys, which is all that JSON asks for; a failure would be a flaw
/// of this crate, and says so.
pub(crate) fn enveloped<D: Document>(document: &D) -> Value {
    let mut value = serde_json::to_value(document)
        .unwrap_or_else(|error| json!({ "error": error.to_string() }));
    value["schema"] = D::SCHEMA.into();
    value["schema_version"] = D::VERSION.into();
    value
}

/// The JSON Schema of such a document.
pub(crate) fn schema_of<D: Document>() -> Value {
    let mut schema = schemars::schema_for!(D).to_value();
    schema["title"] = format!("proofmark {}", D::SCHEMA).into();
    schema["properties"]["schema"] = json!({
        "description": "The name of this schema.",
        "type": "string",
        "const": D::SCHEMA,
    });
    schema["properties"]["schema_version"] = json!({
        "description": "The version of this shape. It rises when a program that reads the present \
            shape could be misled by the next one; new fields alone do not raise it.",
        "type": "integer",
        "const": D::VERSION,
    });
    if let Some(required) = schema["required"].as_array_mut() {
        required.extend(["schema", "schema_version"].map(Value::from));
    }
    schema
}
