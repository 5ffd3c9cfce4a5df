//! Evidence in one file, to be given to others: chains of a store, whole, in a file that can be
//! read and checked without any store.
//!
//! The file is one zstd frame (RFC 8878). Its content is lines: a [`Manifest`], the records as they
//! were hashed, and private parts where they were asked for. So a record's name is the BLAKE3 of
//! its line, nothing in the file has a path, and equal evidence is equal bytes. `docs/bundle.md`
//! is the specification.

mod error;
mod log;
mod manifest;
mod read;
mod scan;
mod write;

use std::io::Read as _;
use std::path::Path;

use crate::StoreError;

pub use error::BundleError;
pub(crate) use log::BundleLog;
pub use manifest::Manifest;
pub use read::Content;
pub use scan::{Secret, SecretKind};
pub use write::{Packed, Packing};

/// The version of the format that is written here. One that is newer is refused.
pub const VERSION: u32 = 1;

/// How a zstd frame begins (RFC 8878, section 3.1.1).
const MAGIC: [u8; 4] = 0xFD2F_B528_u32.to_le_bytes();

/// What a manifest says that it is.
const FORMAT: &str = "proofmark-bundle";

/// Whether a path is a file that begins as a bundle does.
///
/// # Errors
///
/// The file is there and cannot be read.
pub(crate) fn is_bundle(path: &Path) -> Result<bool, StoreError> {
    if !path.is_file() {
        return Ok(false);
    }
    let mut first = [0; 4];
    let read = std::fs::File::open(path).and_then(|mut file| file.read(&mut first));
    let read = read.map_err(|error| StoreError::io("read", path, &error))?;
    Ok(read == first.len() && first == MAGIC)
}
