//! A tree: a folder of files that the runs of a build read, seen at one path by those of all builds.

use proofmark_terms::{Digest, OsText};
use serde::{Deserialize, Serialize};

use crate::private::parts;

/// The tree of one build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    /// The folder, absolute.
    pub from: OsText,
    /// Where the runs see it, absolute; the same for all builds.
    pub at: OsText,
    /// Of what is in it: names, contents, rights to execute, where links lead.
    pub digest: Digest,
    /// How many files and links are in it.
    pub files: u32,
    /// In what it differs from the tree of the base, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<TreeChange>,
}

parts!(Tree {
    from: whole,
    at: whole,
    digest: open,
    files: open,
    changes: inner,
});

/// A file or folder in which two trees differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeChange {
    /// Its path within the tree.
    pub path: OsText,
    /// What is with it.
    pub how: TreeChangeKind,
    /// It is machine code, in one of the trees at least: a library or a program.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub code: bool,
}

parts!(TreeChange {
    path: mixed,
    how: open,
    code: open
});

impl Tree {
    /// Whether it differs from the base's in machine code.
    #[must_use]
    pub fn differs_in_code(&self) -> bool {
        self.changes.iter().any(|change| change.code)
    }
}

/// What is with a file in which two trees differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TreeChangeKind {
    /// The tree of the base has none of this name.
    Added,
    /// The tree of the base alone has it.
    Removed,
    /// Both have it: other content, another right to execute, another kind of thing.
    Changed,
}
