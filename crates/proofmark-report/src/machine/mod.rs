//! A machine: what on it hurts measuring, and what it can resolve.

mod json;
mod terminal;

pub use json::json;
pub use terminal::terminal;

pub(crate) use json::MachineDocument;
