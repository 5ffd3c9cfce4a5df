//! Repositories of git's that are not whole, which git takes for none, or for empty ones.

use std::path::{Path, PathBuf};

use super::command::Git;
use crate::states::RevisionError;

/// What says what is missing.
const CHECK: &str = "`git fsck` says what is missing; a fresh clone has all of it";

/// Why git finds no repository around a folder, where it says this: there is none, or there is one
/// that it does not take for one.
pub(super) fn none(folder: &Path, said: String) -> RevisionError {
    match nearest(folder).filter(|_| said.contains("not a git repository")) {
        Some(top) => no_repository(&top),
        None => RevisionError::NoRepository { said },
    }
}

/// Refuses a repository around another one that git does not take for one, and passes over without
/// a word.
pub(super) fn passed_over(folder: &Path, top: &Path) -> Result<(), RevisionError> {
    match nearest(folder) {
        Some(nearest) if nearest != top && nearest.starts_with(top) => Err(no_repository(&nearest)),
        _ => Ok(()),
    }
}

/// Why a name is of no commit, where that is because the clone lacks even the commit of its work
/// tree.
pub(super) fn without_head(git: &dyn Fn() -> Git) -> Option<RevisionError> {
    let head = git().args(["rev-parse", "--verify", "--quiet", "HEAD"]);
    let head = head.text().ok().filter(|head| !head.is_empty())?;
    // A clone without all objects would fetch what it lacks.
    let asked = git().env("GIT_NO_LAZY_FETCH", "1");
    let there = asked.args(["cat-file", "-e", &format!("{head}^{{commit}}")]);
    (!there.succeeds().ok()?).then(|| RevisionError::Damaged {
        what: format!("it has no object for {head}, the commit that its HEAD names"),
        next: CHECK,
    })
}

/// The nearest folder that has a `.git`.
fn nearest(folder: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    let mut above = folder.ancestors();
    above
        .find(|above| above.join(".git").exists())
        .map(Path::to_owned)
}

fn no_repository(top: &Path) -> RevisionError {
    RevisionError::Damaged {
        what: format!(
            "git takes {} for no repository: it lacks its objects, its references or its HEAD",
            top.join(".git").display()
        ),
        next: "clone it again, or remove that folder",
    }
}
