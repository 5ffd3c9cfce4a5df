//! The files of a folder, as git lists them.

use std::path::{Path, PathBuf};

use super::command::{Git, as_path, records};
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
