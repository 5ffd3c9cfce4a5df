//! A ledger of ideas: its builds are the cells of a matrix, whose blocks give all figures, and what
//! happens to it is kept in the order in which it happens.

mod asked;
mod book;
mod confirm;
mod run;
mod screen;

pub use book::{book_of, decide};
pub use confirm::{ConfirmRequest, confirm};
pub use run::{LedgerRequest, run_ledger};
pub use screen::screen;
