//! Where cgroup v2 is mounted.

use serde::{Deserialize, Serialize};

/// Where cgroup v2 is mounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mount {
    /// It is the only version.
    Alone,
    /// Beside version 1.
    BesideV1,
}

impl Mount {
    /// Its folder.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Mount::Alone => "sys/fs/cgroup",
            Mount::BesideV1 => "sys/fs/cgroup/unified",
        }
    }
}
