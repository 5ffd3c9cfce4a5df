//! What one traced run says: what it read, asked, looked for in vain, and changed.

use std::path::{Path, PathBuf};

use proofmark_measure::trace::{Change, Traced};

/// Files that were there before the run and were read by it, folders that it listed, and code that
/// it loaded.
pub(super) fn opened(traced: &Traced) -> impl Iterator<Item = PathBuf> {
    let files = traced
        .read
        .iter()
        .filter(|(_, read)| read.found && !read.own);
    files
        .map(|(path, _)| path)
        .chain(&traced.listed)
        .chain(&traced.code)
        .cloned()
}

/// What the run found and asked about: that it is there, its size, where a link leads, may be all
/// that it wants to know.
pub(super) fn asked_about(traced: &Traced) -> impl Iterator<Item = PathBuf> {
    let found = traced.looked_at.iter().filter(|(_, found)| **found);
    found
        .map(|(path, _)| path)
        .filter(|path| !traced.written.contains_key(*path))
        .cloned()
}

/// Files that the run read as they were and changed then, or looked for in vain and made.
pub(super) fn kept_between(traced: &Traced) -> impl Iterator<Item = PathBuf> {
    let again = traced.written.iter().filter(|(path, file)| {
        let read = || {
            traced
                .read
                .get(*path)
                .is_some_and(|read| read.found && !read.own)
        };
        let changed = || traced.before.is_changed(path);
        ((file.read_before || read()) && changed()) || (file.sought_before && path.is_file())
    });
    again.map(|(path, _)| path.clone())
}

/// Names that the run looked for and did not find.
pub(super) fn in_vain(traced: &Traced) -> impl Iterator<Item = PathBuf> {
    let opened = traced.read.iter().filter(|(_, read)| !read.found);
    let asked = traced.looked_at.iter().filter(|(_, found)| !**found);
    opened
        .map(|(path, _)| path)
        .chain(asked.map(|(path, _)| path))
        .cloned()
}

/// Files that the run changed, and the folders in which names came or went by it. What it opened
/// for writing and left as it was is not among them.
pub(super) fn changed(traced: &Traced) -> impl Iterator<Item = PathBuf> {
    let written = traced.written.iter();
    let changed = written.filter(|(path, _)| traced.before.is_changed(path));
    changed.flat_map(|(path, written)| {
        let names = written
            .changes
            .iter()
            .any(|change| *change != Change::Written);
        let folder = path.parent().filter(|_| names).map(Path::to_owned);
        [Some(path.clone()), folder].into_iter().flatten()
    })
}
