//! When a file that a build left was last written: programs compare such times.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;

use serde::{Deserialize, Serialize};

/// When a file was last written, as its file system says it: since 1970-01-01 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Modified {
    /// Whole seconds.
    pub seconds: i64,
    /// And nanoseconds, from 0 to 999,999,999.
    pub nanoseconds: i64,
}

impl Modified {
    /// Of a file, or of a link itself.
    #[must_use]
    pub fn of(about: &Metadata) -> Modified {
        Modified {
            seconds: about.mtime(),
            nanoseconds: about.mtime_nsec(),
        }
    }
}
