//! Views of recorded evidence, by subject: each has a terminal's text, and where they are asked for
//! Markdown, JSON with a schema, and CSV.
//!
//! A view never recomputes what the evidence holds: it turns units and arranges words. What a view
//! of a subject says stands in its `rows`; `terminal`, `markdown` and `json` arrange it.

pub mod attribute;
pub mod bisect;
pub mod builds;
pub mod built;
pub mod bundle;
pub mod code;
pub mod comment;
mod comparison;
mod document;
pub mod equal;
pub mod experiment;
pub mod experiments;
pub mod explain;
pub mod garbage;
mod gate;
pub mod gates;
mod headline;
pub mod history;
pub mod ledger;
mod line;
pub mod machine;
mod markup;
pub mod matrix;
mod method;
mod null;
mod number;
pub mod plan;
mod progress;
mod rebuilt;
pub mod remedies;
pub mod replay;
mod row;
mod schemas;
pub mod series;
mod sparkline;
mod style;
pub mod sweep;
mod table;
mod text;
pub mod toolchains;
pub mod tune;
pub mod verification;
mod warning;
mod wording;

pub use document::words::Text;
pub use gate::{gate_failed, gate_open};
pub use progress::{matrix_progress_line, pilot_line, progress_line};
pub use schemas::{schema, schemas};
pub use style::Style;
pub use warning::warned;
