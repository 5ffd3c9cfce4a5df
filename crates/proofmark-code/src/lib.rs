//! Executables read as functions, instructions and facts.
//!
//! From the bytes of a file to what can be said of each of its functions: [`Program::open`] reads a
//! file, [`Facts`] are counted per function, `expect` asserts them and `diff` compares two files by
//! content. Everything read here is taken for hostile: no input makes this crate panic, run for
//! ever or take memory out of proportion to the file.

mod address;
mod arch;
pub mod comparison;
mod decode;
pub mod diff;
mod error;
pub mod expect;
pub mod facts;
mod image;
pub mod listing;
mod names;
mod pattern;
mod source;
mod survey;

pub use address::Address;
pub use arch::Arch;
pub use decode::{EXTENSIONS, Extensions};
pub use error::CodeError;
pub use facts::{Call, Fact, Facts, Site, Via};
pub use image::{
    Format, Function, Image, Kind, Origin, Program, Unread, is_library, is_link_input, load_alike,
    may_load_more,
};
pub use names::{Split, base, demangle, split};
pub use pattern::{Pattern, PatternError, near};
pub use source::{Mention, SourceLine, Sources};
pub use survey::{Row, sort, survey};
