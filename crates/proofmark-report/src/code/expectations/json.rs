//! Expectations checked, for programs.

use proofmark_code::expect::{Breach, ConditionOutcome, Expectations, Report, Status};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::code::words::{AddressView, SourceView};
use crate::document::{Document, enveloped};

/// Expectations on machine code, held against a build.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ExpectationsDocument {
    /// The build's or the file's name.
    build: String,
    /// The file of expectations.
    expectations: String,
    /// Something was checked, and all of it holds.
    passes: bool,
    /// Conditions that hold.
    held: usize,
    /// Conditions that do not.
    broken: usize,
    /// One for each condition and function, in the file's order.
    outcomes: Vec<OutcomeView>,
}

/// What came of one condition.
#[derive(Serialize, JsonSchema)]
struct OutcomeView {
    /// The function that it was checked on; null where it is about all or none.
    function: Option<String>,
    /// The pattern that names functions.
    pattern: String,
    /// The condition as written.
    condition: String,
    /// Why it is expected.
    because: Option<String>,
    /// The line of the condition in the file of expectations.
    line: usize,
    /// Whether it holds.
    #[serde(flatten)]
    status: StatusView,
}

/// Whether a condition holds.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "status", content = "detail", rename_all = "kebab-case")]
enum StatusView {
    /// It does.
    Held {
        /// What was found.
        found: String,
    },
    /// It does not.
    Broken(BreachView),
    /// It is not meant for this file.
    Skipped {
        /// For which it is meant.
        reason: String,
    },
}

/// A broken condition.
#[derive(Serialize, JsonSchema)]
struct BreachView {
    /// What was found.
    found: String,
    /// What was expected.
    expected: String,
    /// Where the function is.
    address: Option<AddressView>,
    /// Where the function is in its source.
    source: Option<SourceView>,
    /// Places that were counted, a few of them.
    places: Vec<PlaceView>,
    /// The number of all places that were counted.
    all_places: usize,
    /// The nearest cause that can be named.
    cause: Option<String>,
}

/// A place in the code.
#[derive(Serialize, JsonSchema)]
struct PlaceView {
    /// The instruction's address.
    address: AddressView,
    /// The instruction.
    text: String,
    /// Its line in the source.
    source: Option<SourceView>,
}

impl Document for ExpectationsDocument {
    const SCHEMA: &'static str = "expectations";
}

/// What came of expectations, for programs.
#[must_use]
pub fn json(file: &Expectations, report: &Report, build: &str) -> Value {
    enveloped(&ExpectationsDocument {
        build: build.to_owned(),
        expectations: file.path().to_string_lossy().into_owned(),
        passes: report.passes(),
        held: report.held(),
        broken: report.broken(),
        outcomes: report.outcomes.iter().map(OutcomeView::from).collect(),
    })
}

impl From<&ConditionOutcome> for OutcomeView {
    fn from(outcome: &ConditionOutcome) -> Self {
        OutcomeView {
            function: outcome.function.clone(),
            pattern: outcome.pattern.clone(),
            condition: outcome.condition.clone(),
            because: outcome.because.clone(),
            line: outcome.line,
            status: match &outcome.status {
                Status::Held(found) => StatusView::Held {
                    found: found.clone(),
                },
                Status::Broken(breach) => StatusView::Broken(BreachView::from(&**breach)),
                Status::Skipped(reason) => StatusView::Skipped {
                    reason: reason.clone(),
                },
            },
        }
    }
}

impl From<&Breach> for BreachView {
    fn from(breach: &Breach) -> Self {
        let place = |place: &proofmark_code::expect::Place| PlaceView {
            address: place.address.into(),
            text: place.text.clone(),
            source: place.source.as_ref().map(SourceView::from),
        };
        BreachView {
            found: breach.found.clone(),
            expected: breach.expected.clone(),
            address: breach.address.map(Into::into),
            source: breach.source.as_ref().map(SourceView::from),
            places: breach.places.iter().map(place).collect(),
            all_places: breach.all_places,
            cause: breach.cause.clone(),
        }
    }
}
