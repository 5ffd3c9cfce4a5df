//! Why a history could not be read.

use std::io;
use std::path::{Path, PathBuf};

/// Why a history could not be read.
#[derive(Debug, thiserror::Error)]

pub enum ForeignError {
    /// A file or a folder could not be read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is of no known kind.
    #[error(
        "{} holds no history that proofmark reads: CSV with a header, a folder of asv's results, \
         or a folder of pyperf's JSON",
        path.display()
    )]
    Unknown {
        /// What was asked for.
        path: PathBuf,
    },
    /// There is no value in it.
    #[error("{} has no values", path.display())]
    Empty {
        /// What was asked for.
        path: PathBuf,
    },
    /// A file is not what its name or its beginning says, or could be read in several ways.
    #[error("{}: {why}", path.display())]
    Damaged {
        /// Which.
        path: PathBuf,
        /// Where, and what is wrong.
        why: String,
    },
}

impl ForeignError {
    pub(crate) fn file(path: &Path, source: io::Error) -> ForeignError {
        ForeignError::File {
            path: path.to_path_buf(),
            source,
        }
    }

    /// Why something cannot be read in one way only, and what to do about it.
    pub(crate) fn refused(path: &Path, why: &str, next: &str) -> ForeignError {
        ForeignError::damaged(path, format!("{why}\n  next: {next}"))
    }

    pub(crate) fn damaged(path: &Path, why: impl Into<String>) -> ForeignError {
        ForeignError::Damaged {
            path: path.to_path_buf(),
            why: why.into(),
        }
    }
}
