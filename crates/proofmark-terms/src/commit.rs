//! A commit as its author left it.

use serde::{Deserialize, Serialize};

use crate::{CommitId, TreeId};

/// A commit of git's, or a changeset of Mercurial's. A bisection over toolchains or flags has one
/// for each of them, without author and date.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// Its name, in full.
    pub id: CommitId,
    /// The names of its parents, the first one first.
    pub parents: Vec<CommitId>,
    /// The name of its tree. git has one name for equal trees, Mercurial may have several.
    pub tree: TreeId,
    /// Who wrote it.
    pub author: String,
    /// When, as RFC 3339.
    pub date: String,
    /// The first line of its message.
    pub subject: String,
}
