//! Why a part of a bundle cannot be unpacked, and what is not spent on it.

use std::io;
use std::path::PathBuf;

use crate::error::BundleError;

/// Largest window of a frame, as a power of two: 128 MiB. More would be memory for whoever sends
/// the file to spend.
pub(super) const WINDOW_LOG: u32 = 27;

/// Why a file was not unpacked.
pub(super) enum Unread {
    Failed(io::Error),
    Damaged(String),
    TooLarge(u64),
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Self {
        Unread::Failed(error)
    }
}

impl Unread {
    pub(super) fn of(self, path: PathBuf) -> BundleError {
        match self {
            // What zstd finds wrong with a file comes as an error without a name, or as its end.
            Unread::Failed(error) => match error.kind() {
                io::ErrorKind::Other
                | io::ErrorKind::InvalidData
                | io::ErrorKind::UnexpectedEof => BundleError::Damaged {
                    path,
                    what: error.to_string(),
                },
                _ => BundleError::Unread {
                    path,
                    why: error.to_string(),
                },
            },
            Unread::Damaged(what) => BundleError::Damaged { path, what },
            Unread::TooLarge(most) => BundleError::TooLarge { path, most },
        }
    }
}
