//! One state of a repository: a commit, or the work tree as a commit of its own.

use tempfile::TempDir;

use crate::states::Revision;

/// A state of the sources, found by its name.
#[derive(Debug)]
pub struct State {
    /// As it was asked for.
    pub name: String,
    /// The commit. That of the work tree is made for the occasion, outside of the repository, and
    /// is the same for the same files.
    pub commit: String,
    /// The commit that a work tree's changes are counted from.
    pub(super) changes_of: Option<String>,
    /// Where the objects are that the repository does not have.
    pub(super) objects: Option<TempDir>,
}

impl State {
    /// What the evidence says of it.
    #[must_use]
    pub fn revision(&self) -> Revision {
        Revision {
            commit: self
                .changes_of
                .clone()
                .unwrap_or_else(|| self.commit.clone()),
            modified: self.changes_of.is_some(),
        }
    }
}
