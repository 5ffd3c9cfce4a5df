//! What changed between two executables, function by function, by content.
//!
//! Addresses, relocations, padding and the distances of jumps are left out of a function's content;
//! what it calls and which data it uses are part of it, by name, or by value where they have no
//! name and cannot change.

mod align;
mod canonical;
mod compare;
mod constant;
mod content;
mod difference;
mod distances;
mod faithful;
pub mod hot;
mod idle;
mod matching;
mod meant;
mod numbered;
mod shifts;
mod targets;

pub use align::{Aligned, aligned};
pub use compare::compare;
pub use difference::{Difference, Pair};
pub use faithful::{How, Unlike, UnlikeKind, unlike};
