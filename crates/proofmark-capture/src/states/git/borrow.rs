//! A repository of proofmark's own, which borrows the user's objects.

use std::fs;
use std::path::Path;

use super::command::Git;
use crate::states::RevisionError;

/// Makes an empty repository in a folder, with these folders of objects. `of` is a folder of the
/// user's repository; `doing` says what it is for, should git refuse.
pub(super) fn make(
    of: &Path,
    objects: &[&Path],
    place: &Path,
    doing: &str,
) -> Result<(), RevisionError> {
    let format = Git::of_source(of, doing)
        .args(["rev-parse", "--show-object-format"])
        .text()?;
    Git::of_copy(place, doing)
        .args(["init", "--quiet", "--template="])
        .args([&format!("--object-format={format}")])
        .bytes()?;
    let mut alternates = Vec::new();
    for folder in objects {
        alternates.extend_from_slice(folder.as_os_str().as_encoded_bytes());
        alternates.push(b'\n');
    }
    put(&place.join(".git/objects/info/alternates"), &alternates)
}

/// Writes a file, and the folders above it.
pub(super) fn put(file: &Path, content: &[u8]) -> Result<(), RevisionError> {
    file.parent()
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::write(file, content))
        .map_err(|source| RevisionError::file("write", file, source))
}
