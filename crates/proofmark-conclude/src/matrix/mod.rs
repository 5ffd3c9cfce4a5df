//! What the blocks of a matrix say: each cell against each baseline, on each benchmark and on the
//! suite.
//!
//! A [`Sheet`] holds what the blocks say so far and which questions are open.

mod claims;
mod conclude;
mod evidence;
mod guards;
mod levels;
mod outlier;
mod page;
mod race;
mod scale;
mod sheet;
mod unseen;

pub(crate) use conclude::out;
pub use conclude::{
    Ended, against_cell, comparisons, conclude_matrix, members_warned_of, of_member,
};
pub use evidence::{MatrixEvidence, MemberEvidence};
pub use sheet::Sheet;
