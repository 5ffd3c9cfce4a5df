//! States of a program's sources: which one a name stands for, and how it is written to a folder of
//! its own, in which a build finds what it would find in a fresh clone.
//!
//! What every system of revisions shares stands here: the way from one state to another
//! (`between`), the copy ([`Checkout`]), what a build finds above it ([`Above`]), around it
//! ([`Surroundings`]), in the process that starts it ([`inherited`]) and of the processor
//! ([`processor`]). What one system alone knows is in a room of its own, [`git`] or `hg`, and only
//! that room starts it. [`Repository`] and [`Tree`] are either one's.

mod above;
mod between;
mod checkout;
mod error;
pub mod git;
pub mod hg;
mod inherited;
mod link;
mod processor;
mod repository;
mod revision;
mod state;
mod surroundings;
mod times;
mod tree;

pub use above::Above;
pub use checkout::Checkout;
pub use error::RevisionError;
pub use inherited::{inherited, umask};
pub use link::TreeLink;
pub use processor::processor;
pub use repository::{Repository, revision};
pub use revision::{Revision, Vcs};
pub use state::{State, WORK};
pub(crate) use surroundings::names;
pub use surroundings::{Surroundings, tools};
pub use times::{later, same_time, same_time_but_for, times_by_content};
pub use tree::{Tree, changes, files};
