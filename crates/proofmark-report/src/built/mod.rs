//! The builds of a matrix: what became of each, and what differs between them though nobody asked.

mod json;
mod log;
mod terminal;

pub use json::json;
pub use log::log_json;
pub use terminal::terminal;

pub(crate) use json::BuiltDocument;
pub(crate) use log::LogDocument;
