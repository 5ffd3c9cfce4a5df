//! One state of a repository: a commit, or the work tree as a state of its own.

use std::path::PathBuf;

use proofmark_terms::CommitId;
use tempfile::TempDir;

use super::{Revision, Vcs};

/// The name by which the state of the work tree is asked for.
pub const WORK: &str = "WORK";

/// A state of the sources, found by its name.
#[derive(Debug)]
pub struct State {
    /// As it was asked for.
    pub name: String,
    /// The commit. That of the work tree is made for the occasion, outside of the repository, and
    /// is the same for the same files.
    pub commit: CommitId,
    /// The commit that a work tree's changes are counted from.
    pub(super) changes_of: Option<CommitId>,
    /// What the repository does not have: git's objects, or Mercurial's files.
    pub(super) made: Option<TempDir>,
    /// Files of a work tree of Mercurial's that are gone.
    pub(super) removed: Vec<PathBuf>,
}

impl State {
    /// That of a commit.
    pub(super) fn of_commit(name: &str, commit: CommitId) -> State {
        State {
            name: name.to_owned(),
            commit,
            changes_of: None,
            made: None,
            removed: Vec::new(),
        }
    }

    /// Whether it is what lies in the work tree.
    #[must_use]
    pub fn is_of_work_tree(&self) -> bool {
        self.changes_of.is_some()
    }

    /// What the evidence says of it.
    #[must_use]
    pub fn revision(&self, vcs: Vcs) -> Revision {
        Revision {
            vcs,
            commit: self
                .changes_of
                .clone()
                .unwrap_or_else(|| self.commit.clone()),
            modified: self.changes_of.is_some(),
            patch: None,
        }
    }
}
