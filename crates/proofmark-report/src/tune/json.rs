//! A tuned machine for programs.

use serde_json::Value;

use super::rows::Tuning;
use crate::document::{Document, enveloped};

impl Document for Tuning {
    const SCHEMA: &'static str = "tune";
}

/// What was set or put back, for programs.
#[must_use]
pub fn json(tuning: &Tuning) -> Value {
    enveloped(tuning)
}
