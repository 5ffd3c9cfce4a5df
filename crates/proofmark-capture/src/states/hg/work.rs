//! The working directory as a state: its tracked files as they are, and new ones that are not
//! ignored.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::changeset::changeset;
use super::command::{Hg, records};
use crate::states::{RevisionError, State};

/// Keeps a copy of every file that differs from the parent, and the names of those that are gone.
/// The state's name is the parent's with a hash of both: the same files, the same state.
pub(super) fn state(top: &Path, name: &str) -> Result<State, RevisionError> {
    let parent = changeset(top, ".", name)?;
    let status = Hg::new(top, "read the working directory")
        .args(["status", "--print0"])
        .bytes()?;
    let made = tempfile::tempdir()
        .map_err(|error| RevisionError::file("write", &std::env::temp_dir(), error))?;
    let mut removed = Vec::new();
    let mut hasher = blake3::Hasher::new();
    for record in records(&status) {
        // X PATH
        let file = PathBuf::from(OsStr::from_bytes(record.get(2..).unwrap_or_default()));
        hasher.update(record).update(b"\0");
        if matches!(record.first(), Some(b'R' | b'!')) {
            removed.push(file);
            continue;
        }
        let failed = |source| RevisionError::file("read", &top.join(&file), source);
        let hash = copied(&top.join(&file), &made.path().join(&file)).map_err(failed)?;
        hasher.update(hash.as_bytes());
    }
    let hash = hasher.finalize().to_hex();
    Ok(State {
        name: name.to_owned(),
        commit: format!("{parent}+{}", &hash[..16]).into(),
        changes_of: Some(parent.into()),
        made: Some(made),
        removed,
    })
}

/// Puts what was kept into a copy of the parent.
pub(super) fn put(state: &State, place: &Path) -> Result<(), RevisionError> {
    for file in &state.removed {
        // It may be a file that the parent has not got either.
        let _ = fs::remove_file(place.join(file));
    }
    let Some(made) = &state.made else {
        return Ok(());
    };
    for entry in walkdir::WalkDir::new(made.path()) {
        let entry =
            entry.map_err(|error| RevisionError::file("read", made.path(), error.into()))?;
        let Ok(file) = entry.path().strip_prefix(made.path()) else {
            continue;
        };
        if !entry.file_type().is_dir() {
            let to = place.join(file);
            let failed = |source| RevisionError::file("write", &to, source);
            copied(entry.path(), &to).map_err(failed)?;
        }
    }
    Ok(())
}

/// Copies a file or a link, and returns a hash of what it is.
fn copied(from: &Path, to: &Path) -> std::io::Result<String> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    match fs::remove_file(to) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let about = fs::symlink_metadata(from)?;
    if about.is_symlink() {
        let target = fs::read_link(from)?;
        std::os::unix::fs::symlink(&target, to)?;
        return Ok(format!("link {}", target.display()));
    }
    fs::copy(from, to)?;
    let is_program = std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o100 != 0;
    Ok(format!("{is_program} {}", crate::objects::hash_file(to)?))
}
