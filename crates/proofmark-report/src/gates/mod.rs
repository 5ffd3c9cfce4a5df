//! Gates: what builds have to get right before they are timed, and whether they do.

mod json;
mod rows;
mod terminal;

pub use json::json;
pub use terminal::terminal;

pub(crate) use json::{GateView, GatesDocument};
pub(crate) use rows::{failing, passed};
