//! The tree of a revision at a folder's place, whoever keeps it.

use std::path::{Path, PathBuf};

use super::{RevisionError, TreeLink, Vcs, git, hg};

/// A tree of a repository.
#[derive(Clone, Debug)]
pub enum Tree {
    /// Of git's.
    Git(git::Tree),
    /// Of Mercurial's.
    Mercurial(hg::Tree),
}

impl Tree {
    /// The tree of a revision, at the folder's place in its repository.
    ///
    /// # Errors
    /// When the folder is in no repository, or that has no such revision with this folder in it.
    pub fn of(folder: &Path, revision: &str) -> Result<Tree, RevisionError> {
        match Vcs::around(folder) {
            Vcs::Git => git::Tree::of(folder, revision).map(Tree::Git),
            Vcs::Mercurial => hg::Tree::of(folder, revision).map(Tree::Mercurial),
        }
    }

    /// A name for its content: equal names are equal trees.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Tree::Git(tree) => tree.id(),
            Tree::Mercurial(tree) => tree.id(),
        }
    }

    /// The symbolic links in it.
    ///
    /// # Errors
    /// When there is a repository inside of it: the revision does not hold that one's files.
    pub fn links(&self) -> Result<Vec<TreeLink>, RevisionError> {
        match self {
            Tree::Git(tree) => tree.links(),
            Tree::Mercurial(tree) => tree.links(),
        }
    }

    /// Writes all of its files into a folder, with no setting or filter of the user's.
    ///
    /// # Errors
    /// When the clone has not got a file's content, or only a program of the user's makes it.
    pub fn write(&self, place: &Path) -> Result<(), RevisionError> {
        match self {
            Tree::Git(tree) => tree.write(place),
            Tree::Mercurial(tree) => tree.write(place),
        }
    }
}

/// Tracked files of a folder and new ones that are not ignored, relative to it, sorted; `None`
/// outside of a repository, and where it has none of the folder's files.
///
/// # Errors
/// When it cannot be asked: what it would have left out is not known.
pub fn files(folder: &Path) -> Result<Option<Vec<PathBuf>>, RevisionError> {
    match Vcs::around(folder) {
        Vcs::Git => git::files(folder),
        Vcs::Mercurial => hg::files(folder),
    }
}

/// Files and folders in which a folder of a repository is not as the last commit has it, new ones
/// that are not ignored among them, relative to it; `None` outside of a repository, and
/// where it has none of the folder's files.
///
/// # Errors
/// When it cannot be asked.
pub fn changes(folder: &Path) -> Result<Option<Vec<PathBuf>>, RevisionError> {
    match Vcs::around(folder) {
        Vcs::Git => git::changes(folder),
        Vcs::Mercurial => hg::changes(folder),
    }
}
