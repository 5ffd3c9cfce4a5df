//! What on a machine hurts measuring, for programs.

use proofmark_evidence::record::Pilot;
use proofmark_terms::{Check, CheckStatus};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::document::{Document, enveloped};

/// What on this machine hurts measuring, and what it can resolve.
#[derive(Serialize, JsonSchema)]
pub(crate) struct MachineDocument {
    /// What was looked at.
    checks: Vec<CheckView>,
    /// The smallest relative difference that a minute of measuring can be expected to tell from
    /// none; null where that was not measured, or could not be told.
    resolvable_in_a_minute: Option<f64>,
}

/// One thing that was looked at.
#[derive(Serialize, JsonSchema)]
struct CheckView {
    /// What, in a word or two.
    name: &'static str,
    /// How to take it.
    status: StatusWord,
    /// What was found.
    found: String,
    /// Why it matters.
    why: &'static str,
    /// What to do; null where nothing need or can be done.
    remedy: Option<&'static str>,
}

/// How to take a finding.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum StatusWord {
    /// As it should be.
    Good,
    /// It makes measuring noisier or wrong.
    Hurts,
    /// Something that would help is not there.
    Missing,
    /// It could not be found out.
    Unknown,
}

impl Document for MachineDocument {
    const SCHEMA: &'static str = "machine";
}

/// The findings for programs.
#[must_use]
pub fn json(checks: &[Check], power: Option<&Pilot>) -> Value {
    enveloped(&MachineDocument {
        checks: checks.iter().map(CheckView::from).collect(),
        resolvable_in_a_minute: power.and_then(|pilot| pilot.resolvable),
    })
}

impl From<&Check> for CheckView {
    fn from(check: &Check) -> Self {
        CheckView {
            name: check.name,
            status: match check.status {
                CheckStatus::Good => StatusWord::Good,
                CheckStatus::Hurts => StatusWord::Hurts,
                CheckStatus::Missing => StatusWord::Missing,
                CheckStatus::Unknown => StatusWord::Unknown,
            },
            found: check.found.clone(),
            why: check.why,
            remedy: check.remedy,
        }
    }
}
