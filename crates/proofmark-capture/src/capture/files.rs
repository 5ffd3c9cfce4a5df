//! Files that a build wrote: where they lie, and when they were written.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// The folder's symbolic links resolved, the file's own kept.
pub(super) fn absolute(path: &Path) -> PathBuf {
    match (
        path.parent()
            .and_then(|folder| fs::canonicalize(folder).ok()),
        path.file_name(),
    ) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// When a file was written: nanoseconds since 1970-01-01 UTC.
pub(super) fn modified_ns(about: &fs::Metadata) -> i64 {
    about
        .mtime()
        .saturating_mul(1_000_000_000)
        .saturating_add(about.mtime_nsec())
}

/// When a file was written, moved, or got other rights: nanoseconds since 1970-01-01 UTC.
pub(super) fn changed_ns(about: &fs::Metadata) -> i64 {
    about
        .ctime()
        .saturating_mul(1_000_000_000)
        .saturating_add(about.ctime_nsec())
}

/// Paths in order, each one once.
pub(super) fn distinct(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    paths.sort();
    paths.dedup();
    paths
}
