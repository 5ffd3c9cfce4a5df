//! What can go wrong when an executable is read: always with the file, and with the offset where
//! there is one.

use std::path::{Path, PathBuf};

/// Why a file could not be read as machine code.
#[derive(Debug, thiserror::Error)]
pub enum CodeError {
    /// The file could not be opened or read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is no executable, or a damaged one.
    #[error("{}: {what} (at file offset {offset:#x})", path.display())]
    Damaged {
        /// The file, with the archive's member in brackets where it is one.
        path: PathBuf,
        /// Offset in the file, in bytes, of the structure that is wrong.
        offset: u64,
        /// What is wrong with it.
        what: String,
    },
    /// The file is sound, but of a kind that is not read here.
    #[error("{}: {what} (at file offset {offset:#x}); proofmark reads 64-bit little-endian ELF files for x86-64 and AArch64", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// Offset in the file, in bytes, of the field that says so.
        offset: u64,
        /// What it is.
        what: String,
    },
}

impl CodeError {
    /// A damaged file, with what is wrong and where.
    pub(crate) fn damaged(path: &Path, offset: u64, what: impl Into<String>) -> Self {
        CodeError::Damaged {
            path: path.to_path_buf(),
            offset,
            what: what.into(),
        }
    }

    /// Whether the input itself is at fault (and not the way to it).
    #[must_use]
    pub fn is_damage(&self) -> bool {
        matches!(
            self,
            CodeError::Damaged { .. } | CodeError::Unsupported { .. }
        )
    }
}
