//! What a file or a folder holds, by its hash, and what tells that it was touched.

use std::collections::BTreeSet;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use proofmark_capture::outside::{answer, entries_of};
use proofmark_measure::trace::is_for_temporary_files;
use proofmark_terms::Digest;

/// A file that was changed so lately may be changed again within one tick of its file system's
/// clock.
const SETTLED: Duration = Duration::from_millis(50);

/// What tells that a file was touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    /// `None` where the file is too young for its stamp to be trusted.
    pub(super) fn of(metadata: &Metadata) -> Option<Stamp> {
        let changed = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        let age = SystemTime::now().duration_since(changed);
        age.is_ok_and(|age| age > SETTLED).then(|| Stamp {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }
}

/// The hash of a file or a folder and the stamp that it had before it was read; `None` for what is
/// neither, and for folders of temporary files.
pub(super) fn hashed(path: &Path) -> io::Result<Option<(Digest, Option<Stamp>)>> {
    let metadata = path.metadata()?;
    let stamp = Stamp::of(&metadata);
    if metadata.is_file() {
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(File::open(path)?)?;
        Ok(Some((hasher.finalize().into(), stamp)))
    } else if metadata.is_dir() && !is_for_temporary_files(path) {
        Ok(Some((entries_of(path, &BTreeSet::new())?, stamp)))
    } else {
        Ok(None)
    }
}

/// What the system answers about a name without opening it; the content of a file is told by its
/// hash. `None` where nothing is there.
pub(super) fn answer_of(path: &Path) -> Option<String> {
    is_there(path).then(|| answer(path, &mut |_| Ok("its own".to_owned())))
}

/// Where a path leads.
pub(super) fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Whether something has this name, be it a link to nothing.
pub(super) fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// When a file was changed in any way, and when its content was: microseconds since 1970-01-01 UTC.
pub(super) fn times(about: &Metadata) -> [i64; 2] {
    let us = |seconds: i64, ns: i64| seconds.saturating_mul(1_000_000).saturating_add(ns / 1000);
    [
        us(about.ctime(), about.ctime_nsec()),
        us(about.mtime(), about.mtime_nsec()),
    ]
}
