//! One experiment: a comparison, or a null test.
//!
//! What is said of it stands in [`rows`] (of a comparison) and [`null`]; each of the other files
//! arranges that in its own way.

mod certificate;
mod csv;
mod gate;
pub(crate) mod json;
mod listing;
pub(crate) mod markdown;
pub(crate) mod method;
mod null;
mod programs;
pub(crate) mod rows;
mod terminal;

pub use csv::{CsvError, csv};
pub use gate::{Condition, Gate, GateError, GateKind, GateOutcome};
pub use json::{SCHEMA_VERSION, json, json_schema, summaries_json, summaries_schema};
pub use listing::summaries;
pub use markdown::markdown;
pub use terminal::terminal;
