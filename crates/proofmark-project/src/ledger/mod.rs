//! A ledger of ideas: what a project's file says of them, the builds that they need, and which of
//! these is held against which. Pure: nothing is looked for.

mod build;
mod idea;
mod plan;
mod project;
mod stack;

pub use idea::{Idea, Ideas};
pub use plan::{
    BASE, BASE_AGAIN, LedgerBuild, LedgerPlan, PlannedIdea, PlannedPlace, PlannedStack,
};
pub use stack::Stack;

pub(crate) use plan::check_ledger_name;
