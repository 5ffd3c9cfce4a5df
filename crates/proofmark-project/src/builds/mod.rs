//! The builds of a matrix: which there are, which are missing, and how those are made.

mod asked;
mod build;
mod built;
mod compare;
mod fault;
mod features;
mod job;
mod linked;
mod made_of;
mod make;
mod observer;
mod option;
mod parts;
mod plan;
mod reads;
mod recipe;
mod record;
mod report;
mod request;
mod standing;
mod together;
mod with_tree;

pub use built::{BuildOutcome, BuiltCell, Failure, FlagReport, Made, MissingFlag};
pub use compare::{Uneven, identical, uneven};
pub use observer::{BuildObserver, Unwatched};
pub use plan::{BuildPlan, CellState, Planned, Workshop};
pub use recipe::Recipe;
