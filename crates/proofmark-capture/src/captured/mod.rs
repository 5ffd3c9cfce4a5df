//! A captured build as it is written down: its links, the objects in them, the files beside its
//! images; and which of its images is meant.

mod asked;
mod build;
mod changed;
mod companion;
mod gone;
mod link;
mod modified;
mod named;
mod object;

pub(crate) use build::id;
pub use build::{Capture, Ran};
pub use companion::{Companion, CompanionKind};
pub use gone::{Contents, Gone, Place};
pub use link::{CapturedLink, Lacking, LinkKind, PristineImage, RelinkCheck, Twice};
pub use modified::Modified;
pub use object::{CompiledObject, Seen, Stale};

pub(crate) use named::{Named, at, ending};
