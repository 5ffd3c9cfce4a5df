//! The revision of the sources in a folder, as it lies there.

use std::path::Path;

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
