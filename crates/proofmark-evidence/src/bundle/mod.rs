//! Evidence in one file, to be given to others: chains of a store, whole, in a file that can be
//! read and checked without any store.
//!
//! The file is one zstd frame (RFC 8878). Its content is lines: a [`Manifest`], the records as they
//! were hashed, and private parts where they were asked for. So a record's name is the BLAKE3 of
//! its line, nothing in the file has a path, and equal evidence is equal bytes. `docs/bundle.md`
//! is the specification. It is written here; read, it is a log like any other. Files may stand
//! behind the text: images of builds, and what they are linked again from.

mod allowed;
mod enclose;
mod refused;
mod signature;
mod write;

pub use crate::error::BundleError;
pub use crate::log::bundle::{
    Content, EnclosedCapture, EnclosedFile, Enclosures, Manifest, VERSION,
};
pub use crate::secrets::{Secret, SecretKind};
pub use enclose::{Enclosing, ToEnclose};
pub use refused::{NAMESPACE, SignatureError};
pub use signature::{Signed, is_of, signature_of, signed};
pub use write::{Packed, Packing};
