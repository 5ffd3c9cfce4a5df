//! Capture: builds that can be linked again.
//!
//! [`capture`] runs any build unchanged, with a folder of shims in front of the compilers' own
//! tools, and keeps what each link needs. [`Builds`] is where captured builds are kept. A program
//! that captures calls [`shim_main`] first: it is its own shims.

mod capture;
mod cargo;
pub mod checkout;
mod choice;
mod elf;
mod error;
mod event;
pub mod libraries;
mod link;
mod memory;
mod model;
mod objects;
mod process;
mod revision;
mod sections;
mod session;
mod shim;
mod stamp;
mod store;
mod summary;
pub mod toolchain;
mod variables;
pub mod variants;

pub use capture::{BuildOutput, CaptureRequest, Compile, capture};
pub use error::BuildError;
pub use model::{
    Capture, CapturedLink, Companion, CompanionKind, CompiledObject, Lacking, LinkKind,
    PristineImage, RelinkCheck, Revision, Seen, Stale, Tool, ToolLibrary, ToolRole, Twice,
};
pub use shim::shim_main;
pub use store::{
    Builds, Keep, KeptBuild, KeptFor, Listing, LockedBuilds, Removed, Sweep, SweepRules,
    SweptBuild, SweptFor,
};
