//! The files of a folder, as Mercurial lists them.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::command::{Hg, records};
use crate::states::RevisionError;

/// Tracked files of a folder and new ones that are not ignored, relative to it, sorted; `None`
/// where the repository has none of the folder's files.
///
/// # Errors
/// When hg fails: what it would have left out is not known.
pub fn files(folder: &Path) -> Result<Option<Vec<PathBuf>>, RevisionError> {
    let states = ["--modified", "--added", "--clean", "--unknown"];
    let files = listed(folder, "list the files of the source", &states)?;
    Ok((!files.is_empty()).then_some(files))
}

/// Files in which a folder is not as the last changeset has it, relative to it; `None` where the
/// repository has none of its files.
///
/// # Errors
/// When hg fails.
pub fn changes(folder: &Path) -> Result<Option<Vec<PathBuf>>, RevisionError> {
    let doing = "look at the working directory";
    let status = [
        "--modified",
        "--added",
        "--removed",
        "--deleted",
        "--unknown",
    ];
    let changed = listed(folder, doing, &status)?;
    Ok(files(folder)?.map(|_| changed))
}

/// The files of a folder with one of these states, relative to it, sorted.
fn listed(folder: &Path, doing: &str, states: &[&str]) -> Result<Vec<PathBuf>, RevisionError> {
    let top = Hg::new(folder, doing).args(["root"]).text()?;
    let prefix = folder.strip_prefix(&top).unwrap_or(Path::new(""));
    let listed = Hg::new(folder, doing)
        .args(["status"])
        .args(states)
        .args(["--no-status", "--print0", "--template", "{path}\\0", "."])
        .bytes()?;
    let inside = |record: &[u8]| {
        let file = Path::new(OsStr::from_bytes(record));
        file.strip_prefix(prefix).ok().map(Path::to_owned)
    };
    let mut files: Vec<PathBuf> = records(&listed).filter_map(inside).collect();
    files.sort();
    Ok(files)
}
