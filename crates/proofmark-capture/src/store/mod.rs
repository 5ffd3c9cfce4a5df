//! Captured builds on disk: `builds/NAME.json` beside `objects/`, in a project's `.proofmark`
//! folder.

mod builds;
mod files;
mod find;
mod lock;
mod name;
mod sweep;
mod written;

pub use builds::{Builds, Removed};
pub use find::Listing;
pub use sweep::{KeptBuild, KeptFor, LockedBuilds, Sweep, SweepRules, SweptBuild, SweptFor};
pub use written::Keep;

pub(crate) use name::check_name;
