//! A state of the sources by name.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A state of the sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// The commit, in full.
    pub commit: String,
    /// Tracked files differed from it.
    pub modified: bool,
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = self.commit.get(..12).unwrap_or(&self.commit);
        write!(
            f,
            "{short}{}",
            if self.modified { " with changes" } else { "" }
        )
    }
}
