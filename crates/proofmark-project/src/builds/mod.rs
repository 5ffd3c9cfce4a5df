//! The builds of a matrix: which there are, which are missing, and how those are made.

mod above;
mod asked;
mod build;
mod built;
mod compare;
mod environment;
mod features;
mod linked;
mod option;
mod plan;
mod reads;
mod record;
mod together;

pub use build::{BuildObserver, Unwatched};
pub use built::{BuildOutcome, BuiltCell, Failure, FlagReport, Made, MissingFlag};
pub use compare::{Uneven, identical, uneven};
pub use plan::{BuildPlan, CellState, Planned, Workshop};
