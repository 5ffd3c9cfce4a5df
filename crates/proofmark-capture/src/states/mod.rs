//! States of a program's sources: which one a name stands for, and how it is written to a folder of
//! its own, in which a build finds what it would find in a fresh clone.
//!
//! What every system of revisions shares stands here: the copy ([`Checkout`]), what a build finds
//! above it ([`Above`]) and around it ([`Surroundings`]). What one system alone knows is in a room
//! of its own; [`git`] is the first. Only that room starts git.

mod above;
mod checkout;
mod error;
pub mod git;
mod revision;
mod surroundings;

pub use above::Above;
pub use checkout::Checkout;
pub use error::RevisionError;
pub use revision::Revision;
pub(crate) use surroundings::names;
pub use surroundings::{Surroundings, tools};
