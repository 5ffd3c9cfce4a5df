//! What can be wrong with a project's file.

use std::io;
use std::path::PathBuf;

/// Why a project's file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// It cannot be read.
    #[error("cannot read {}: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Something in it has no meaning.
    #[error("{}:{line}:{column}: {what}", file.display())]
    Wrong {
        /// The file.
        file: PathBuf,
        /// From 1.
        line: usize,
        /// In letters, from 1.
        column: usize,
        /// What is wrong, and the next step.
        what: String,
    },
}
