//! A state of the sources by name.

use std::fmt;
use std::path::Path;

use proofmark_terms::{CommitId, Digest};
use serde::{Deserialize, Serialize};

/// A system that keeps versions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Vcs {
    /// git.
    #[default]
    Git,
    /// Mercurial.
    Mercurial,
}

impl Vcs {
    /// The one whose repository a folder is in: the nearest. git where there is none, which says
    /// so, and where a folder has both.
    pub(crate) fn around(folder: &Path) -> Vcs {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let mut above = folder.ancestors();
        let nearest =
            above.find(|above| [".git", ".hg"].iter().any(|own| above.join(own).exists()));
        match nearest {
            Some(top) if !top.join(".git").exists() => Vcs::Mercurial,
            _ => Vcs::Git,
        }
    }
}

/// A state of the sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// Who keeps it.
    #[serde(default)]
    pub vcs: Vcs,
    /// The commit, in full.
    pub commit: CommitId,
    /// Tracked files differed from it.
    pub modified: bool,
    /// The stored patch that makes this state of that commit, where it was written down.
    #[serde(default)]
    pub patch: Option<Digest>,
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
