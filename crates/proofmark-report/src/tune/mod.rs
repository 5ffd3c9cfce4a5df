//! A machine tuned for measuring: what is set, what was put back, and what cannot be.

mod json;
mod rows;
mod terminal;

pub use json::json;
pub use rows::{
    ChangeView, DoneWord, FailedView, ItemView, LeftView, StepWord, Tuning, UndoneView,
};
pub use terminal::{terminal, undone};
