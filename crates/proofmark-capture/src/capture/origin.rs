//! How an object was made.

use std::ffi::OsString;
use std::path::PathBuf;

use proofmark_terms::Digest;

/// How an object was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Origin {
    pub compiler: Option<PathBuf>,
    pub flags: Vec<OsString>,
    pub source: Option<PathBuf>,
    /// See [`CompiledObject::sections_added`].
    ///
    /// [`CompiledObject::sections_added`]: crate::CompiledObject::sections_added
    pub sections_added: bool,
    /// See [`CompiledObject::second`].
    ///
    /// [`CompiledObject::second`]: crate::CompiledObject::second
    pub second: Option<Digest>,
}
