//! What the blocks of a ledger's matrix say: each figure, and the questions that are asked of the
//! error budget.

mod budget;
mod confirm;
mod contrast;
mod run;

pub use budget::budget_of;
pub use confirm::{confirmed, judged};
pub use run::conclude_run;
