//! The work tree as a state: its tracked files as they are, and new ones that are not ignored.

use std::path::Path;

use super::command::{Git, as_path, records};
use super::settings::without_filters;
use super::source::Source;
use crate::states::{RevisionError, State};

/// Makes a commit of the work tree, in a folder of objects of its own: the repository is not
/// touched.
pub(super) fn state(top: &Path, source: &Source, name: &str) -> Result<State, RevisionError> {
    let doing = "read the work tree";
    clean_submodules(top)?;
    let objects = tempfile::tempdir()
        .map_err(|error| RevisionError::file("write", &std::env::temp_dir(), error))?;
    let index = objects.path().join("index.of-work-tree");
    let filters = without_filters(top);
    let git = || {
        Git::of_user(top, doing)
            .args(&filters)
            .env("GIT_INDEX_FILE", &index)
            .env("GIT_OBJECT_DIRECTORY", objects.path())
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", source.objects())
    };
    let head = Git::of_user(top, doing)
        .args(["rev-parse", "--verify", "HEAD^{commit}"])
        .text()?;
    // From an index of its own: the user's may say that some files need no look.
    git().args(["read-tree", &head]).bytes()?;
    git().args(["add", "--all", "--", "."]).bytes()?;
    let tree = git().args(["write-tree"]).text()?;
    let date = Git::of_user(top, doing)
        .args(["show", "--no-patch", "--format=%cI", &head])
        .text()?;
    let mut commit = git().args(["commit-tree", &tree, "-p", &head, "-m", "work tree"]);
    // The same files, the same commit.
    for who in ["AUTHOR", "COMMITTER"] {
        commit = commit
            .env(&format!("GIT_{who}_NAME"), "work tree")
            .env(&format!("GIT_{who}_EMAIL"), "")
            .env(&format!("GIT_{who}_DATE"), &date);
    }
    Ok(State {
        name: name.to_owned(),
        commit: commit.text()?.into(),
        changes_of: Some(head.into()),
        made: Some(objects),
        removed: Vec::new(),
    })
}

/// A commit names a submodule's commit, and nothing that was changed since.
fn clean_submodules(top: &Path) -> Result<(), RevisionError> {
    let status = Git::of_user(top, "look at the submodules")
        .args(without_filters(top))
        .args([
            "status",
            "--porcelain=v2",
            "-z",
            "--no-renames",
            "--ignore-submodules=none",
            "--untracked-files=no",
        ])
        .bytes()?;
    for record in records(&status) {
        // 1 XY SUB mH mI mW hH hI PATH
        let mut fields = record.splitn(9, |byte| *byte == b' ');
        let is_changed = fields.next() == Some(b"1");
        let sub = fields.nth(1).unwrap_or_default();
        let dirty =
            sub.starts_with(b"S") && (sub.get(2) == Some(&b'M') || sub.get(3) == Some(&b'U'));
        if is_changed && dirty {
            return Err(RevisionError::SubmoduleChanged {
                path: as_path(fields.nth(5).unwrap_or_default()).to_owned(),
            });
        }
    }
    Ok(())
}
