//! A sweep: what the address of a function does.

mod csv;
mod grid;
mod json;
mod picture;
mod rows;
mod terminal;

pub use csv::csv;
pub(crate) use json::SweepDocument;
pub use json::json;
pub use picture::picture;
pub use terminal::{progress, terminal};
