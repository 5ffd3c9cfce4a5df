//! What the blocks of a ledger's matrix say: each figure, and the questions that are asked of the
//! error budget.

mod budget;
mod confirm;
mod contrast;
mod race;
mod run;

pub use budget::budget_of;
pub use confirm::{confirmed, first_figure, judged};
pub use race::conclude_race;
pub use run::conclude_run;
