//! Ideas that are tried one after another, for weeks: what is found of them, and how often that is
//! wrong.
//!
//! A figure of an idea is a contrast of builds in the same blocks: one number a block. All figures
//! of one table hold together ([`together`]). Whether an idea is better at all is a question that is
//! asked of an [`ErrorBudget`], which holds the share of false findings over the whole sequence.

mod budget;
mod contrast;
mod race;

pub use budget::{BudgetError, ErrorBudget, Tested};
pub use contrast::{chance_of_no_gain, interaction, together};
pub use race::Race;
