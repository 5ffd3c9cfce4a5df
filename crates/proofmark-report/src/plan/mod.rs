//! A matrix before it is measured: its builds, and what measuring will take.

mod forecast;
mod json;
mod rows;
mod terminal;

pub use json::json;
pub use rows::{PlanView, PlannedCell, PlannedState};
pub use terminal::terminal;

pub(crate) use json::PlanDocument;
