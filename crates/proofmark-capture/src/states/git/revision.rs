//! The revision of the sources in a folder, as it lies there.

use std::path::{Path, PathBuf};

use super::command::Git;
use crate::states::{Revision, Vcs};

/// The commit of the repository that a folder is in. `None` outside of one, and without git.
#[must_use]
pub fn revision(folder: &Path) -> Option<Revision> {
    let ask = |arguments: &[&str]| {
        let git = Git::of_user(folder, "look at the sources");
        git.args(arguments).text().ok()
    };
    let commit = ask(&["rev-parse", "--verify", "HEAD"])?;
    let status = ask(&["status", "--porcelain", "--untracked-files=no"])?;
    Some(Revision {
        vcs: Vcs::Git,
        commit: commit.into(),
        modified: !status.is_empty(),
        patch: None,
    })
}

/// A folder of a repository, and a commit of that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The topmost folder of the work tree.
    pub top: PathBuf,
    /// The folder, relative to that; empty where it is the topmost one itself.
    pub prefix: PathBuf,
    /// The commit's whole name.
    pub commit: String,
}

/// Where a folder lies in its repository, and the commit that a revision names there. `None`
/// outside of one, without such a revision, and without git.
#[must_use]
pub fn placed(folder: &Path, revision: &str) -> Option<Placed> {
    let ask = || Git::of_source(folder, "look at the sources").args(["rev-parse"]);
    let commit = format!("{revision}^{{commit}}");
    let commit = ask().args(["--verify", "--quiet", "--end-of-options", &commit]);
    let commit = commit.text().ok()?;
    Some(Placed {
        top: ask().args(["--show-toplevel"]).path().ok()?,
        prefix: ask()
            .args(["--show-prefix"])
            .path()
            .ok()?
            .components()
            .collect(),
        commit: commit.lines().next_back()?.to_owned(),
    })
}
