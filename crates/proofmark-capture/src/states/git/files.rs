//! The files of a folder, as git lists them.

use std::path::{Path, PathBuf};

use super::command::{Git, as_path, records};
use super::settings::without_filters;
use crate::states::RevisionError;

/// Tracked files of a folder and new ones that are not ignored, relative to it, sorted; `None`
/// outside of a repository, and where it has none of the folder's files.
///
/// # Errors
/// When git fails inside of a repository: what it would have left out is not known.
pub fn files(folder: &Path) -> Result<Option<Vec<PathBuf>>, RevisionError> {
    let asked = Git::of_source(folder, "list the files of the source");
    let listed = match asked
        .args(["ls-files", "-coz", "--exclude-standard"])
        .bytes()
    {
        Ok(listed) => listed,
        Err(why) => {
            let inside = folder.ancestors().any(|above| above.join(".git").exists());
            return if inside { Err(why) } else { Ok(None) };
        }
    };
    let mut files: Vec<PathBuf> = records(&listed)
        .map(|name| as_path(name).to_owned())
        .collect();
    files.sort();
    files.dedup();
    Ok((!files.is_empty()).then_some(files))
}

/// Files and folders in which a folder is not as the last commit has it, relative to it; `None`
/// outside of a repository, and where that has none of its files. A file at which git was told not
/// to look is among them.
///
/// # Errors
/// When git fails inside of a repository.
pub fn changes(folder: &Path) -> Result<Option<Vec<PathBuf>>, RevisionError> {
    let git = || Git::of_source(folder, "look at the work tree");
    let Ok(prefix) = git().args(["rev-parse", "--show-prefix"]).path() else {
        return Ok(None);
    };
    let status = git()
        .args(without_filters(folder))
        .args(["status", "--porcelain", "-z", "--no-renames"])
        .args(["--ignore-submodules=none", "--untracked-files=normal"])
        .args(["--", "."])
        .bytes()?;
    // XY PATH, from the topmost folder.
    let changed = records(&status).filter_map(|record| {
        let file = as_path(record.get(3..).unwrap_or_default());
        file.strip_prefix(&prefix).ok().map(Path::to_owned)
    });
    let listed = git().args(["ls-files", "-vz", "--", "."]).bytes()?;
    if listed.is_empty() {
        return Ok(None);
    }
    // A small letter is a file that counts as unchanged, `S` one that counts as not there.
    let unseen = records(&listed)
        .filter(|record| record.first().is_some_and(|tag| *tag != b'H'))
        .map(|record| as_path(record.get(2..).unwrap_or_default()).to_owned());
    Ok(Some(changed.chain(unseen).collect()))
}
