//! The log: chains of records, and what a database has to do to hold them.
//!
//! What a record means is not known here: a log keeps bytes, the words that they are found by, and
//! the order in which they came. SQLite is behind it today; another database needs an
//! implementation of [`Log`] and nothing else.

pub(crate) mod bundle;
#[cfg(test)]
mod contract;
pub(crate) mod sqlite;

use std::fmt::Debug;
use std::ops::ControlFlow;

use crate::StoreError;
use crate::envelope::{Kind, Place, Sealed};
use crate::private::{Here, Part};

/// Chains of records that only ever grow.
pub(crate) trait Log: Debug + Send {
    /// Appends a record, and its private part where that was not kept before: all of it is kept
    /// when this returns, or nothing. A record whose place names no chain begins one, which has its
    /// name.
    ///
    /// # Errors
    ///
    /// The log cannot be written.
    fn append(
        &mut self,
        place: &Place,
        number: Option<u32>,
        sealed: &Sealed,
        part: Option<&Part>,
    ) -> Result<Appended, StoreError>;

    /// Where a chain stands; none where there is no such chain.
    fn tip(&self, chain: &str) -> Result<Option<Tip>, StoreError>;

    /// Hands over the records of a chain in the order in which they came, until there are no more
    /// or `take` has seen enough.
    fn chain(
        &self,
        chain: &str,
        take: &mut dyn FnMut(&Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), StoreError>;

    /// What the records of a chain are, in the order in which they came; without their bodies.
    fn headings(&self, chain: &str) -> Result<Vec<Heading>, StoreError>;

    /// The last record of a kind in a chain, and the one before it.
    fn last(&self, chain: &str, kind: Kind) -> Result<Option<Last>, StoreError>;

    /// Hands over one record; false where there is none of this name.
    fn record(&self, id: &str, take: &mut dyn FnMut(&Entry<'_>)) -> Result<bool, StoreError>;

    /// The chains that begin with a record of this kind and have this key in its private part, the
    /// one begun last first.
    fn by_key(&self, kind: Kind, key: &str) -> Result<Vec<String>, StoreError>;

    /// The chains that begin with a record of this kind and whose names begin with these digits, in
    /// the order of their names; at most `most`.
    fn by_prefix(&self, kind: Kind, prefix: &str, most: u32) -> Result<Vec<String>, StoreError>;

    /// The chains that begin with a record of this kind; at most `most`.
    fn list(&self, kind: Kind, order: Order, most: u32) -> Result<Vec<String>, StoreError>;

    /// Hands over every record that is of none of these kinds.
    fn others(&self, kinds: &[Kind], take: &mut dyn FnMut(&Entry<'_>)) -> Result<(), StoreError>;

    /// Examines the database's own structure, and names every chain of which a record is there.
    ///
    /// # Errors
    ///
    /// The first flaw found.
    fn examine(&self) -> Result<Vec<String>, StoreError>;
}

/// No limit to a number of chains.
pub(crate) const ALL: u32 = u32::MAX;

/// What came of an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Appended {
    /// It is kept.
    Kept,
    /// The chain does not end with the record that this one follows, and nothing was written.
    Elsewhere,
}

/// Where a chain stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tip {
    /// The name of its last record.
    pub(crate) last: String,
    /// How many of its records have a number: the blocks.
    pub(crate) numbered: u32,
}

/// A record as it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry<'a> {
    /// BLAKE3 of the body, 64 hexadecimal digits.
    pub(crate) id: &'a str,
    /// A word; a later version may have written one that is not known here.
    pub(crate) kind: &'a str,
    /// A block's index.
    pub(crate) number: Option<u32>,
    /// The name of its private part, where it has one.
    pub(crate) private: Option<&'a str>,
    /// That part, where it is here.
    pub(crate) part: Option<Here<'a>>,
    /// The record itself.
    pub(crate) body: &'a str,
}

/// What a record is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heading {
    /// Its name.
    pub(crate) id: String,
    /// A word; a later version may have written one that is not known here.
    pub(crate) kind: String,
}

/// The last record of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Last {
    /// Its name.
    pub(crate) id: String,
    /// The name of the record before it; none where it is the first one.
    pub(crate) before: Option<String>,
}

/// In which order chains are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// The one begun last first.
    Begun,
    /// The one appended to last first.
    Appended,
}
