//! Expectations on machine code, checked.

mod github;
mod json;
mod junit;
mod rows;
mod terminal;

pub use github::github;
pub use json::json;
pub use junit::junit;
pub use terminal::terminal;

pub(crate) use json::ExpectationsDocument;
