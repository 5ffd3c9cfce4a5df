//! The state of the sources, as git names it.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::model::Revision;

/// The commit of the repository that a folder is in. `None` outside of one, and without git.
pub(crate) fn of(folder: &Path) -> Option<Revision> {
    let commit = git(folder, &["rev-parse", "--verify", "HEAD"])?;
    let status = git(folder, &["status", "--porcelain", "--untracked-files=no"])?;
    Some(Revision {
        commit,
        modified: !status.is_empty(),
    })
}

fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let asked = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    asked
        .status
        .success()
        .then(|| String::from_utf8_lossy(&asked.stdout).trim().to_owned())
}
