//! A ledger of ideas: what a project's file says of them, the builds that they need, and which of
//! these is held against which. Pure: nothing is looked for.

mod build;
mod idea;
mod ideas;
mod names;
mod plan;
mod stack;

pub use build::LedgerBuild;
pub use idea::Idea;
pub use ideas::Ideas;
pub use names::{BASE, BASE_AGAIN};
pub use plan::{LedgerPlan, PlannedIdea, PlannedPlace, PlannedStack};
pub use stack::Stack;

pub(crate) use names::check_ledger_name;
