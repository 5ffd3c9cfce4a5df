//! What can go wrong with a bundle, and what to do then.

use std::path::PathBuf;

use thiserror::Error;

use crate::StoreError;
use crate::bundle::Secret;

/// What can go wrong with a bundle.
#[derive(Debug, Error)]
pub enum BundleError {
    /// The evidence cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No chain has this name.
    #[error("there is no evidence `{asked}`; `proofmark report --list` shows what there is")]
    NoSuch {
        /// As asked.
        asked: String,
    },
    /// Several chains begin with these digits.
    #[error("`{asked}` is the beginning of several names: {}; more digits, please", candidates.join(", "))]
    Ambiguous {
        /// As asked.
        asked: String,
        /// Their names, abbreviated.
        candidates: Vec<String>,
    },
    /// Something in it looks like a key or a password.
    #[error("{}", secrets(found))]
    Secrets {
        /// What was found; never empty.
        found: Vec<Secret>,
    },
    /// The file cannot be written.
    #[error("cannot write {}: {why}", path.display())]
    Unwritten {
        /// The file.
        path: PathBuf,
        /// The system's words.
        why: String,
    },
    /// The file cannot be read.
    #[error("cannot read {}: {why}", path.display())]
    Unread {
        /// The file.
        path: PathBuf,
        /// The system's words.
        why: String,
    },
    /// The file is there, and is no bundle, or a damaged one.
    #[error("{} is not a whole bundle of proofmark: {what}; ask for the file again, nothing in it can be trusted", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        what: String,
    },
    /// It unpacks to more than is believed.
    #[error("{} unpacks to more than {most} bytes, which no evidence of its size does; it was not read on", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Most bytes that are read of one of its size.
        most: u64,
    },
    /// A later version of the format.
    #[error("{} is of version {found} of the format, and this proofmark reads {known}; verify it with the newer proofmark that made it ({made_by})", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version that is read here.
        known: u32,
        /// What wrote it.
        made_by: String,
    },
}

fn secrets(found: &[Secret]) -> String {
    let mut lines =
        vec!["what would go into the file looks like secrets, and nothing was written:".to_owned()];
    lines.extend(found.iter().map(|secret| format!("  {secret}")));
    lines.push(
        "measure again without them; or, where they are none, give --with-secrets".to_owned(),
    );
    lines.join("\n")
}
