//! What the runs of an experiment read, as it was when the experiment began.

use crate::private::parts;
use proofmark_terms::{BuildIndex, Digest, OsText};
use serde::{Deserialize, Serialize};

/// What the runs read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inputs {
    /// Files and folders that must stay as they are.
    pub fixed: Vec<Input>,
    /// Names that the runs asked about and that were there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<AskedAbout>,
    /// Names that the runs looked for and did not find.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<OsText>,
    /// Files that the runs write and read again: what one run leaves is what the next one finds.
    pub state: Vec<OsText>,
    /// Files in the folder in which they run that they make, change or remove.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<OsText>,
    /// Those of the fixed files that were changed after the first of the builds was made and before
    /// the last one was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub between: Vec<OsText>,
    /// What runs make, change or remove in the trees of their builds. It is gone with the block.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_trees: Vec<OsText>,
    /// Builds whose runs read the executable file that they run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_themselves: Vec<BuildIndex>,
    /// Files that hold addresses of functions of a build, as it was shipped, as plain numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub address_tables: Vec<OsText>,
    /// Why not all is known beside what the command names, where that is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_named: Option<String>,
}

impl Inputs {
    /// Whether a run finds what one before it has left: the first one in a new place may find
    /// nothing, and do more than all later ones.
    #[must_use]
    pub fn are_left_by_runs(&self) -> bool {
        !(self.state.is_empty() && self.in_trees.is_empty())
    }
}

parts!(Inputs {
    fixed: inner,
    asked: inner,
    absent: whole,
    state: whole,
    written: whole,
    between: whole,
    in_trees: whole,
    read_themselves: open,
    address_tables: whole,
    only_named: mixed,
});

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// Absolute.
    pub path: OsText,
    /// Of its content; of a folder, of the sorted names in it and of what they are.
    pub hash: Digest,
}

parts!(Input {
    path: whole,
    hash: open
});

/// A name that was asked about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedAbout {
    /// Absolute.
    pub path: OsText,
    /// Where it leads as a link, what it is and its rights; of a folder its place.
    pub answer: OsText,
}

parts!(AskedAbout {
    path: whole,
    answer: whole
});
