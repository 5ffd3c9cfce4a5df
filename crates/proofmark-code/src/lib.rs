//! Executables read as functions, instructions and facts.
//!
//! From the bytes of a file to what can be said of each of its functions: [`Program::open`] reads a
//! file, [`Facts`] are counted per function, `expect` asserts them and `diff` compares two files by
//! content. Everything read here is taken for hostile: no input makes this crate panic, run for
//! ever or take memory out of proportion to the file.
//!
//! ```
//! use std::path::Path;
//!
//! use proofmark_code::{Fact, Facts, Program};
//!
//! # fn main() -> Result<(), proofmark_code::CodeError> {
//! let program = Program::open(Path::new("/proc/self/exe"))?;
//! for image in program.images() {
//!     for (index, function) in image.functions().iter().enumerate().take(3) {
//!         let loops = Facts::of(image, index).get(Fact::Loops);
//!         println!("{} at {}: {loops} loops", function.name(), function.address());
//!     }
//! }
//! # Ok(())
//! # }
//! ```

mod address;
mod arch;
pub mod comparison;
mod crossings;
mod decode;
pub mod diff;
mod elf;
mod error;
pub mod expect;
pub mod facts;
pub mod hazards;
mod image;
mod kind;
pub mod listing;
mod loaded;
mod names;
mod own_bytes;
mod pattern;
mod program;
mod runs_on;
mod source;
mod space;
mod starts;
mod survey;
mod unloaded;

pub use address::Address;
pub use arch::Arch;
pub use crossings::Crossings;
pub use decode::{EXTENSIONS, Extensions};
pub use error::CodeError;
pub use facts::{Call, Fact, Facts, Site, Via};
pub use image::{Function, Image, Origin};
pub use kind::{Format, Kind};
pub use loaded::{is_library, is_link_input, load_alike, may_load_more};
pub use names::{Split, base, demangle, split};
pub use own_bytes::reads_own_bytes;
pub use pattern::{Pattern, PatternError, near};
pub use program::{Program, Unread};
pub use runs_on::{runs_on, section_runs_on};
pub use source::{Mention, SourceLine, Sources};
pub use starts::Starts;
pub use survey::{FunctionFacts, sort, survey};
