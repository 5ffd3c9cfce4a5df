//! The experiments of a store at a glance.

mod alone;
mod json;
mod terminal;

pub use alone::Listed;
pub use json::json;
pub use terminal::terminal;

pub(crate) use json::ExperimentsDocument;
pub(crate) use terminal::verdicts;
