//! Where a repository keeps what its commits are made of.

use std::path::{Path, PathBuf};

use super::command::Git;
use crate::states::RevisionError;

/// Where the objects and the settings of a repository are; of a submodule too.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// A folder in which git finds it: a work tree, or the repository's own folder.
    pub(super) folder: PathBuf,
    /// The folder of this work tree's own state.
    pub(super) git_dir: PathBuf,
    /// The folder that its work trees share.
    pub(super) common: PathBuf,
}

impl Source {
    /// The repository that git finds in a folder.
    pub(super) fn of(folder: &Path) -> Result<Source, RevisionError> {
        let ask = |what: &str| {
            Git::of_user(folder, "find the repository")
                .args(["rev-parse", "--path-format=absolute", what])
                .path()
        };
        Ok(Source {
            folder: folder.to_owned(),
            git_dir: ask("--git-dir")?,
            common: ask("--git-common-dir")?,
        })
    }

    /// The folder of objects.
    pub(super) fn objects(&self) -> PathBuf {
        self.common.join("objects")
    }

    pub(super) fn has(&self, commit: &str) -> Result<bool, RevisionError> {
        let commit = format!("{commit}^{{commit}}");
        let git = Git::of_user(&self.folder, "look for a commit");
        // A clone without all objects would fetch what it lacks.
        git.env("GIT_NO_LAZY_FETCH", "1")
            .args(["cat-file", "-e", &commit])
            .succeeds()
    }
}
