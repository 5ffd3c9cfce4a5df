//! The builds of a matrix for programs.

use serde_json::Value;

use super::rows::BuiltView;
use crate::document::{Document, enveloped};

impl Document for BuiltView {
    const SCHEMA: &'static str = "matrix-builds";
}

/// The builds of a matrix for programs.
#[must_use]
pub fn json(built: &BuiltView) -> Value {
    enveloped(built)
}
