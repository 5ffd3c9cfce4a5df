//! What a file or a folder holds, by its hash, and what tells that it was touched.

use std::collections::BTreeSet;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use proofmark_terms::Digest;

/// A file that was changed so lately may be changed again within one tick of its file system's
/// clock.
const SETTLED: Duration = Duration::from_millis(50);

/// A folder that everybody may put files into: what lies there is nobody's input.
const FOR_ALL: u32 = 0o1002;

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
/// neither, and for folders of everybody.
pub(super) fn hashed(path: &Path) -> io::Result<Option<(Digest, Option<Stamp>)>> {
    let metadata = path.metadata()?;
    let stamp = Stamp::of(&metadata);
    let mut hasher = blake3::Hasher::new();
    if metadata.is_file() {
        hasher.update_reader(File::open(path)?)?;
    } else if metadata.is_dir() && metadata.mode() & FOR_ALL != FOR_ALL {
        let entries = path.read_dir()?.map(|entry| Ok(entry?.file_name()));
        for name in entries.collect::<io::Result<BTreeSet<_>>>()? {
            hasher.update(name.as_bytes());
            hasher.update(b"\0");
        }
    } else {
        return Ok(None);
    }
    Ok(Some((hasher.finalize().to_hex().as_str().into(), stamp)))
}

/// Whether something has this name, be it a link to nothing.
pub(super) fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
