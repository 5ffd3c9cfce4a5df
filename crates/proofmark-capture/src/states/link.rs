//! A symbolic link as a repository has it.

use std::path::PathBuf;

/// A symbolic link of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeLink {
    /// Relative to the folder.
    pub file: PathBuf,
    /// Where it leads, as it is written.
    pub target: PathBuf,
}
