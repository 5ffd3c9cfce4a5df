//! Views of recorded evidence: terminal, Markdown, JSON, CSV, and gates for CI.
//!
//! A view never recomputes what the evidence holds: it turns units and arranges words.

mod builds;
mod certificate;
pub mod code;
mod csv;
mod doctor;
mod findings;
mod gate;
mod json;
mod listing;
mod markdown;
mod matrix;
mod method;
mod null;
mod number;
mod programs;
mod progress;
mod style;
mod table;
mod terminal;
mod text;
pub mod variants;
mod wording;

pub use builds::builds;
pub use csv::{CsvError, csv};
pub use doctor::{doctor, doctor_json};
pub use gate::{Condition, Gate, GateError, GateKind, GateOutcome};
pub use json::{SCHEMA_VERSION, json, json_schema, summaries_json, summaries_schema};
pub use listing::summaries;
pub use markdown::markdown;
pub use matrix::{
    Matrix, matrix_json, matrix_markdown, matrix_progress_line, matrix_schema, matrix_terminal,
};
pub use progress::{pilot_line, progress_line};
pub use style::Style;
pub use terminal::terminal;
