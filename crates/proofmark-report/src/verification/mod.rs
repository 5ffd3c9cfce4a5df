//! Evidence that was verified: what follows from its samples, what does not, and what no file can
//! prove.

mod json;
mod rows;
mod terminal;

pub use json::{VerificationDocument, json};
pub(crate) use rows::sort;
pub use rows::{Signature, Verified};
pub use terminal::terminal;
