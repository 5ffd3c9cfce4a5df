//! Patches, applied to a folder that is no repository.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::command::{Git, as_path, records};
use crate::states::RevisionError;

/// Applies a patch in a folder; `name` is what errors call it. Without a repository around it:
/// inside of one git passes over what lies outside of the present folder, and says nothing. Without
/// settings of the user's: `core.autocrlf` and `apply.whitespace` would write other lines than
/// those of the patch. Returns the names of the files that it is about.
///
/// # Errors
/// When it does not apply, or git cannot be started.
pub fn apply(name: &Path, patch: &[u8], place: &Path) -> Result<Vec<PathBuf>, RevisionError> {
    let failed = |error| RevisionError::file("write the patch", name, error);
    let mut file = tempfile::NamedTempFile::new().map_err(failed)?;
    file.write_all(patch).map_err(failed)?;
    let git = Git::of_nobody(place, "apply a patch")
        .args(["apply", "--whitespace=nowarn"])
        .args(["--apply", "--numstat", "-z"])
        .args([file.path()])
        .env("GIT_CEILING_DIRECTORIES", place.parent().unwrap_or(place));
    match git.bytes() {
        Err(RevisionError::Git { said, .. }) => {
            const MOST: usize = 6;
            let lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
            let said: Vec<&str> = lines.take(MOST).collect();
            Err(RevisionError::Patch {
                patch: name.to_owned(),
                said: said.join(" / "),
            })
        }
        other => Ok(named(&other?)),
    }
}

/// The names in lines of ADDED, DELETED, NAME.
fn named(said: &[u8]) -> Vec<PathBuf> {
    let names = records(said).filter_map(|record| record.splitn(3, |byte| *byte == b'\t').nth(2));
    names.map(|name| as_path(name).to_owned()).collect()
}
