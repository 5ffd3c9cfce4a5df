//! Folders of files that runs read, for programs.

use proofmark_evidence::record::{Tree, TreeChange, TreeChangeKind};
use schemars::JsonSchema;
use serde::Serialize;

use super::words::Text;

/// A folder of files that the runs of one build read.
#[derive(Serialize, JsonSchema)]
pub(crate) struct TreeView {
    /// The folder.
    from: Text,
    /// Where the runs see it; the same for all builds.
    at: Text,
    /// BLAKE3 of what is in it.
    digest: String,
    /// How many files and links are in it.
    files: u32,
    /// In what it differs from the tree of the base.
    changes: Vec<TreeChangeView>,
}

/// A file in which two trees differ.
#[derive(Serialize, JsonSchema)]
pub(crate) struct TreeChangeView {
    /// Its path within the tree.
    path: Text,
    /// What is with it.
    how: TreeChangeWord,
    /// It is machine code, in one of the trees at least.
    code: bool,
}

/// What is with a file in which two trees differ.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum TreeChangeWord {
    /// The tree of the base has none of this name.
    Added,
    /// The tree of the base alone has it.
    Removed,
    /// Both have it, and it is not the same.
    Changed,
}

impl From<&TreeChange> for TreeChangeView {
    fn from(change: &TreeChange) -> Self {
        TreeChangeView {
            path: (&change.path).into(),
            how: match change.how {
                TreeChangeKind::Added => TreeChangeWord::Added,
                TreeChangeKind::Removed => TreeChangeWord::Removed,
                TreeChangeKind::Changed => TreeChangeWord::Changed,
            },
            code: change.code,
        }
    }
}

impl From<&Tree> for TreeView {
    fn from(tree: &Tree) -> Self {
        TreeView {
            from: (&tree.from).into(),
            at: (&tree.at).into(),
            digest: tree.digest.to_string(),
            files: tree.files,
            changes: tree.changes.iter().map(Into::into).collect(),
        }
    }
}
