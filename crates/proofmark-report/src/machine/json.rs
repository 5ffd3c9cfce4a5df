//! What on a machine hurts measuring, for programs.

use proofmark_terms::{Check, CheckStatus};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::Found;
use super::worth::{Told, Worth, WorthOf, told};
use crate::document::{Document, enveloped};

/// What on this machine hurts measuring, and what it can resolve.
#[derive(Serialize, JsonSchema)]
pub(crate) struct MachineDocument {
    /// What was looked at.
    checks: Vec<CheckView>,
    /// The smallest relative difference that a minute of measuring can be expected to tell from
    /// none; null where that was not measured, or could not be told.
    resolvable_in_a_minute: Option<f64>,
    /// What each item of `tune` is worth here; null where that was not measured.
    worth: Option<Vec<WorthView>>,
}

/// An item of `tune`, and what it is worth.
#[derive(Serialize, JsonSchema)]
struct WorthView {
    /// Its name.
    item: &'static str,
    /// How it was found.
    found: String,
    /// `helps`, `harms` or `nothing`, where every measurement with it is better than every one
    /// without, or worse, or they overlap; null where nothing was measured.
    told: Option<&'static str>,
    /// The smallest relative differences that a minute of measuring can tell from none, without it;
    /// empty where nothing was measured.
    without: Vec<f64>,
    /// The same with it, measured in turn with those.
    with: Vec<f64>,
    /// Why nothing was measured, in words; null where something was, or it is as it should be.
    why: Option<String>,
}

impl WorthView {
    fn of(worth: &Worth) -> WorthView {
        let (told, without, with, why) = match &worth.of {
            WorthOf::NothingToSet => (None, Vec::new(), Vec::new(), None),
            WorthOf::NotMeasured(why) => (None, Vec::new(), Vec::new(), Some(why.clone())),
            WorthOf::Measured { without, with } => {
                let word = match told(without, with) {
                    Told::Helps => "helps",
                    Told::Harms => "harms",
                    Told::Nothing => "nothing",
                };
                (Some(word), without.clone(), with.clone(), None)
            }
        };
        WorthView {
            item: worth.item,
            found: worth.found.clone(),
            told,
            without,
            with,
            why,
        }
    }
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
pub fn json(found: &Found<'_>) -> Value {
    enveloped(&MachineDocument {
        checks: found.checks.iter().map(CheckView::from).collect(),
        resolvable_in_a_minute: found.power.and_then(|pilot| pilot.resolvable),
        worth: found
            .worth
            .map(|all| all.iter().map(WorthView::of).collect()),
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
