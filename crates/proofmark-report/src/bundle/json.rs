//! A bundle for programs.

use serde_json::Value;

use super::rows::BundleView;
use crate::document::{Document, enveloped};

impl Document for BundleView {
    const SCHEMA: &'static str = "bundle";
}

/// A bundle that was written, or would be, for programs.
#[must_use]
pub fn json(bundle: &BundleView) -> Value {
    enveloped(bundle)
}
