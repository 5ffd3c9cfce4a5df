//! Views of recorded evidence: terminal, Markdown, JSON, CSV, and gates for CI.
//!
//! A view never recomputes what the evidence holds: it turns units and arranges words.

mod builds;
pub mod code;
mod experiment;
mod machine;
mod matrix;
mod number;
pub mod plan;
mod progress;
mod style;
mod table;
mod text;
mod wording;

pub use builds::builds;
pub use experiment::{
    Condition, CsvError, Gate, GateError, GateKind, GateOutcome, SCHEMA_VERSION, csv, json,
    json_schema, markdown, summaries, summaries_json, summaries_schema, terminal,
};
pub use machine::{doctor, doctor_json};
pub use matrix::{
    Matrix, matrix_json, matrix_markdown, matrix_progress_line, matrix_schema, matrix_terminal,
};
pub use progress::{pilot_line, progress_line};
pub use style::Style;
