//! Tags of the repository, of which a copy has all: a build that looked into its copy's repository
//! may have asked for any.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::Context as _;

use super::Plan;

/// How the file is called beside that of what a build read.
const LABELS: &str = "labels";

impl Plan {
    /// Keeps the repository's tags with a build that may have asked for them.
    pub(super) fn note_labels(&self, reads: &Path, asked: bool) -> anyhow::Result<()> {
        let file = reads.with_extension(LABELS);
        let written = if asked {
            fs::write(&file, self.labels()?)
        } else {
            match fs::remove_file(&file) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            }
        };
        written.with_context(|| format!("cannot write {}", file.display()))
    }

    /// Whether a build asked for tags, and they are other ones now.
    pub(super) fn has_other_labels(&self, reads: &Path) -> anyhow::Result<bool> {
        Ok(match fs::read_to_string(reads.with_extension(LABELS)) {
            Ok(labels) => labels != self.labels()?,
            Err(_) => false,
        })
    }

    fn labels(&self) -> anyhow::Result<String> {
        let labels = self.repository.labels()?;
        Ok(blake3::hash(labels.as_bytes()).to_hex().to_string())
    }
}
