//! Folders of a source that its repository does not look into: repositories of their own.

use std::io;
use std::path::{Path, PathBuf};

use proofmark_capture::states;

use super::in_a_line;
use super::ours::Ours;

/// git lists a repository inside of another as a folder. Of its files count those that it does not
/// ignore itself.
pub(super) fn with_inner_repositories(
    folder: &Path,
    listed: Vec<PathBuf>,
    ours: &Ours,
) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for file in listed {
        let place = folder.join(&file);
        if !place.is_dir() || place.is_symlink() {
            files.push(file);
            continue;
        }
        let is_repository = [".git", ".hg"].iter().any(|own| place.join(own).exists());
        let inner = if is_repository {
            states::files(&place).map_err(|error| in_a_line(&error))?
        } else {
            None
        };
        match inner {
            Some(inner) => {
                let inner = with_inner_repositories(&place, inner, ours)?;
                files.extend(inner.into_iter().map(|name| file.join(name)));
            }
            None => files.extend(walked(folder, &file, ours).map_err(unreadable(folder))?),
        }
    }
    files.sort();
    files.dedup();
    Ok(files)
}

/// All files and folders below a part of a source's folder.
pub(super) fn walked(folder: &Path, part: &Path, ours: &Ours) -> io::Result<Vec<PathBuf>> {
    let name = |entry: &walkdir::DirEntry| -> Option<PathBuf> {
        Some(entry.path().strip_prefix(folder).ok()?.to_owned())
    };
    let walk = walkdir::WalkDir::new(folder.join(part))
        .into_iter()
        .filter_entry(|entry| {
            entry.depth() == 0 || !name(entry).is_some_and(|file| ours.holds(folder, &file))
        });
    let mut files = Vec::new();
    for entry in walk {
        let entry = entry?;
        if entry.depth() > 0 {
            files.extend(name(&entry));
        }
    }
    files.sort();
    Ok(files)
}

/// An error of a folder, in words.
pub(super) fn unreadable(folder: &Path) -> impl Fn(io::Error) -> String + use<> {
    let folder = folder.display().to_string();
    move |error| format!("cannot read {folder}: {error}")
}
