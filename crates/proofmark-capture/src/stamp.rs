//! A file's state as its inode tells it: while the stamp is the same, the content need not be read
//! again.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// A file's content as of one state of its inode.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// A file system's clock may lag, and stand still for a tick: younger changes may be followed by
/// another one that looks the same.
const SETTLED: Duration = Duration::from_millis(50);

impl Stamp {
    /// Of the file that a path leads to.
    ///
    /// # Errors
    /// When there is none, or it cannot be looked at.
    pub fn of(file: &Path) -> io::Result<Stamp> {
        Ok(Stamp::from(&std::fs::metadata(file)?))
    }

    /// Whether nobody has written to the file from one to the other, by its times. Its rights, its
    /// owner and the number of its names may differ.
    #[must_use]
    pub fn is_as_written(&self, other: &Stamp) -> bool {
        let of = |stamp: &Stamp| (stamp.device, stamp.inode, stamp.size, stamp.modified);
        of(self) == of(other)
    }

    /// Whether a content read now will be told from any later one by this stamp.
    #[must_use]
    pub fn settled(&self) -> bool {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let seconds = u64::try_from(self.changed.0).unwrap_or_default();
        let nanoseconds = u32::try_from(self.changed.1).unwrap_or_default();
        Duration::new(seconds, nanoseconds) + SETTLED < now
    }
}

impl From<&std::fs::Metadata> for Stamp {
    fn from(of: &std::fs::Metadata) -> Stamp {
        Stamp {
            device: of.dev(),
            inode: of.ino(),
            size: of.size(),
            modified: (of.mtime(), of.mtime_nsec()),
            changed: (of.ctime(), of.ctime_nsec()),
        }
    }
}

/// Something that was found out from files, and holds while they are the same.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Stamped<T> {
    files: Vec<(PathBuf, Stamp)>,
    /// What was found out.
    pub value: T,
}

impl<T> Stamped<T> {
    /// What was found out from these files just now; `None` where one of them cannot be told from
    /// its next state.
    pub fn now(files: impl IntoIterator<Item = PathBuf>, value: T) -> Option<Stamped<T>> {
        let files: Option<Vec<(PathBuf, Stamp)>> = files
            .into_iter()
            .map(|file| {
                let stamp = Stamp::of(&file).ok().filter(Stamp::settled)?;
                Some((file, stamp))
            })
            .collect();
        Some(Stamped {
            files: files?,
            value,
        })
    }

    /// Whether no file has changed since.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.files
            .iter()
            .all(|(file, stamp)| Stamp::of(file).is_ok_and(|now| now == *stamp))
    }
}
