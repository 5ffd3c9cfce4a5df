//! One recorded experiment, whatever it asked and however far it came: what was found, and what
//! that rests on.

mod comment;
mod csv;
mod json;
mod markdown;
mod terminal;

pub use comment::comment;
pub use csv::{CsvError, csv};
pub use json::json;
pub use markdown::markdown;
pub use terminal::terminal;

pub(crate) use json::ExperimentDocument;
