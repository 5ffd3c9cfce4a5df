//! A matrix before it is measured: its builds, and what measuring will take.

mod forecast;
mod json;
mod rows;
mod terminal;

use proofmark_conclude::MatrixForecast;
use proofmark_project::Plan;

pub use json::json;
pub use terminal::terminal;

pub(crate) use json::PlanDocument;

/// A plan with what only the project's file knows.
#[derive(Debug)]
pub struct PlanView<'a> {
    /// The builds.
    pub plan: &'a Plan,
    /// Builds made at a time.
    pub parallel: usize,
    /// What measuring takes.
    pub forecast: &'a MatrixForecast,
}
