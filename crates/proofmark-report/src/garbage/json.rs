//! Garbage for programs.

use serde_json::Value;

use super::rows::Collection;
use crate::document::{Document, enveloped};

impl Document for Collection {
    const SCHEMA: &'static str = "gc";
}

/// What goes and what stays, for programs.
#[must_use]
pub fn json(collection: &Collection) -> Value {
    enveloped(collection)
}
