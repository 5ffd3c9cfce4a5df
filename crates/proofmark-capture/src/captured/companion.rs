//! Files that belong to an image and are no part of it.

use std::path::PathBuf;

use proofmark_terms::{Digest, lossless};
use serde::{Deserialize, Serialize};

use super::modified::Modified;

/// A file that belongs to an image and is no part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Companion {
    /// Where it lay when the build had ended, symbolic links in that resolved.
    #[serde(with = "lossless::one")]
    pub path: PathBuf,
    /// BLAKE3 of it, in hexadecimal ([`crate::hash_entry`]).
    pub hash: Digest,
    /// The stored copy; none of what is not the build's own, is too large to be kept, or is no
    /// file.
    #[serde(with = "lossless::maybe")]
    pub blob: Option<PathBuf>,
    /// Its permissions: the last nine bits of `st_mode`.
    pub mode: u32,
    /// When it was last written: each copy of it has that time.
    pub modified: Modified,
    /// What it is to the image.
    pub kind: CompanionKind,
}

/// What a file is to the image that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CompanionKind {
    /// A library that its loader finds.
    Library,
    /// Another library that the build linked: the image may open it.
    LinkedLibrary,
    /// Another program that the build linked: the image may start it.
    LinkedExecutable,
    /// A file that the build put beside it, or of which is known that it put it elsewhere: the
    /// image may read it. A link, or an empty folder, that it left elsewhere: the image may find
    /// it.
    File,
    /// A symbolic link beside it, whoever made it: the image may go through it.
    Link,
    /// A folder beside it that the build made, or moved there: the image may ask for it.
    MadeFolder,
    /// A folder beside it that was there before.
    FoundFolder,
}

impl CompanionKind {
    /// Whether it is a file: neither a link nor a folder beside the image.
    #[must_use]
    pub fn is_file(self) -> bool {
        !matches!(
            self,
            CompanionKind::Link | CompanionKind::MadeFolder | CompanionKind::FoundFolder
        )
    }
}
