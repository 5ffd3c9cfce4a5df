//! A commit as it was made.

/// A commit of git's, or a changeset of Mercurial's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its name, in full.
    pub id: String,
    /// The names of its parents, the first one first.
    pub parents: Vec<String>,
    /// The name of its tree: equal names are equal trees. git has one name for equal trees,
    /// Mercurial may have several.
    pub tree: String,
    /// Who wrote it.
    pub author: String,
    /// When, as RFC 3339.
    pub date: String,
    /// The first line of its message.
    pub subject: String,
}
