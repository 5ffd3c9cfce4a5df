//! The reader of all chains: every record is checked against its name and its place, and then
//! handed to whoever knows what such a chain adds up to.

use std::ops::ControlFlow;

use serde::de::DeserializeOwned;

use super::Store;
use crate::StoreError;
use crate::envelope::{Flaw, Kind, Place, open};
use crate::log::Entry;

/// What the records of a chain add up to.
pub(super) trait Chain: Sized {
    /// What its first record is.
    const BEGINS: Kind;

    /// Takes the first record.
    fn begin(first: &Record<'_>) -> Result<Self, Flaw>;

    /// Takes one that follows.
    fn take(&mut self, record: &Record<'_>) -> Result<(), Flaw>;
}

/// A record on its way from the log.
#[derive(Debug)]
pub(super) struct Record<'a> {
    pub(super) kind: Kind,
    entry: Entry<'a>,
    /// The name of the record before it.
    after: Option<&'a str>,
    chain: &'a str,
}

impl<'a> Record<'a> {
    fn new(entry: Entry<'a>, after: Option<&'a str>, chain: &'a str) -> Result<Self, Flaw> {
        let kind =
            Kind::from_column(entry.kind).ok_or_else(|| format!("unknown kind {}", entry.kind))?;
        Ok(Record {
            kind,
            entry,
            after,
            chain,
        })
    }

    /// What it says, once its name and its place are found to be right.
    pub(super) fn open<T: DeserializeOwned>(&self) -> Result<T, Flaw> {
        let first = self.after.is_none();
        let place = Place {
            kind: self.kind,
            chain: (!first).then(|| self.chain.to_owned()),
            after: self.after.map(str::to_owned),
            key: self.entry.key.map(str::to_owned),
        };
        open(self.entry.id, self.entry.body, &place)
    }

    /// The chain's name.
    pub(super) fn chain(&self) -> &'a str {
        self.chain
    }

    /// What the chain is found by; empty but in its first record.
    pub(super) fn key(&self) -> &'a str {
        self.entry.key.unwrap_or_default()
    }

    /// A block's index, as the log has it.
    pub(super) fn number(&self) -> Option<u32> {
        self.entry.number
    }

    /// The flaw of a record that such a chain does not have.
    pub(super) fn stray(&self) -> Flaw {
        format!("a {} does not belong into its chain", self.kind.as_str())
    }
}

impl Store {
    /// Reads a chain up to its first `blocks` blocks, what comes between them included; all of it
    /// where there are no more.
    ///
    /// # Errors
    ///
    /// A record is damaged, or the first one is missing.
    pub(super) fn read<C: Chain>(&self, chain: &str, blocks: u32) -> Result<C, StoreError> {
        let mut last: Option<String> = None;
        let mut read: Option<C> = None;
        let mut failed: Option<StoreError> = None;
        self.log.chain(chain, &mut |entry| {
            if entry.number.is_some_and(|number| number >= blocks) {
                return ControlFlow::Break(());
            }
            let taken = Record::new(*entry, last.as_deref(), chain)
                .and_then(|record| taken(&mut read, &record));
            if let Err(what) = taken {
                failed = Some(self.damaged(entry.id, what));
                return ControlFlow::Break(());
            }
            last = Some(entry.id.to_owned());
            ControlFlow::Continue(())
        })?;
        if let Some(error) = failed {
            return Err(error);
        }
        read.ok_or_else(|| self.damaged(chain, missing()))
    }

    /// One record of a chain.
    ///
    /// # Errors
    ///
    /// It is damaged or gone.
    pub(super) fn record<T: DeserializeOwned>(
        &self,
        id: &str,
        place: &Place,
    ) -> Result<T, StoreError> {
        let body = self.log.body(id)?;
        let body = body.ok_or_else(|| self.damaged(id, "it is gone".to_owned()))?;
        open(id, &body, place).map_err(|what| self.damaged(id, what))
    }
}

fn taken<C: Chain>(read: &mut Option<C>, record: &Record<'_>) -> Result<(), Flaw> {
    match read {
        Some(read) if record.kind != C::BEGINS => read.take(record),
        None if record.kind == C::BEGINS => {
            *read = Some(C::begin(record)?);
            Ok(())
        }
        None => Err(missing()),
        Some(_) => Err(record.stray()),
    }
}

fn missing() -> Flaw {
    "the first record of its chain is missing, and others belong to it".to_owned()
}
