//! Captured builds on disk: `builds/NAME.json` beside `objects/`, in a project's `.proofmark`
//! folder.

mod builds;
mod enclosed;
mod files;
mod find;
mod garbage;
mod lock;
mod name;
mod written;

pub use builds::{Builds, Removed};
pub use enclosed::{CaptureFile, Described, Enclosable};
pub use find::Listing;
pub use garbage::{
    CollectedBuild, CollectedFor, Garbage, GarbageRules, KeptBuild, KeptFor, LockedBuilds,
};
pub use written::Keep;

pub(crate) use name::check_name;
