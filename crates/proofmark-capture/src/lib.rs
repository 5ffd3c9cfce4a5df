//! Capture: builds that can be linked again.
//!
//! [`capture`] runs any build unchanged, with a folder of shims in front of the compilers' own
//! tools, and keeps what each link needs. [`Builds`] is where captured builds are kept. A program
//! that captures calls [`shim_main`] first: it is its own shims.
//!
//! ```no_run
//! use std::path::Path;
//! use std::process::ExitCode;
//!
//! use proofmark_capture::{Builds, CaptureRequest, capture, shim_main};
//!
//! fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
//!     if let Some(code) = shim_main() {
//!         return Ok(code);
//!     }
//!     let builds = Builds::open(Path::new(".proofmark"))?;
//!     let request = CaptureRequest::new("base", vec!["make".into(), "-j2".into()])?;
//!     let captured = capture(&builds, &request)?;
//!     println!("{} is {}", captured.name, captured.id);
//!     let link = captured.image(None)?;
//!     println!("{} is linked by {}", link.output.display(), link.recipe.linker.version);
//!     Ok(ExitCode::SUCCESS)
//! }
//! ```

mod arranged;
mod capture;
mod captured;
mod cargo;
mod detours;
mod elf;
mod error;
mod event;
pub mod libraries;
mod link;
mod objects;
mod of_tools;
pub mod outside;
mod plain;
mod probes;
mod process;
mod programs;
mod sections;
mod session;
mod shim;
pub mod stamp;
pub mod states;
mod store;
mod tools;
mod traces;
mod variables;

pub use arranged::{ArrangedBuild, arrange};
pub use capture::{
    BuildOutput, CaptureRequest, Compile, Ended, SourceCopy, attend, capture, capture_until, end_of,
};
pub use captured::{
    Capture, CapturedLink, Companion, CompanionKind, CompiledObject, Contents, Gone, Lacking,
    LinkKind, Modified, Place, PristineImage, Ran, RelinkCheck, Seen, Stale, Twice,
};
pub use error::BuildError;
pub use objects::{hash_bytes, hash_entry, hash_file, hash_file_once};
pub use plain::plain_place;
pub use programs::find_program;
pub use session::SESSION;
pub use shim::{reads, shim_main};
pub use states::Revision;
pub use store::{
    Builds, CaptureFile, CollectedBuild, CollectedFor, Described, Enclosable, Garbage,
    GarbageRules, Keep, KeptBuild, KeptFor, Listing, LockedBuilds, Removed,
};
pub use tools::{Tool, ToolLibrary, ToolRole, version_of};
pub use traces::Traces;
