//! The reader of all chains: every record is checked against its name and its place, and then
//! handed to whoever knows what such a chain adds up to.

use std::ops::ControlFlow;

use serde::de::DeserializeOwned;

use super::Store;
use super::find::is_prefix;
use crate::StoreError;
use crate::envelope::{Flaw, Kind, Place, open};
use crate::id::{Begins, named};
use crate::log::{Entry, Order};
use crate::private::{Parts, PrivateParts, put_back};

/// What the records of a chain add up to.
pub(super) trait Chain: Sized {
    /// What its first record is.
    const BEGINS: Kind;

    /// Takes the first record.
    fn begin(first: &Record<'_>) -> Result<Self, Flaw>;

    /// Takes one that follows.
    fn take(&mut self, record: &Record<'_>) -> Result<(), Flaw>;

    /// Takes whether the private parts of all of them were there.
    fn private(&mut self, parts: PrivateParts);
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

    /// What it says, once its name and its place are found to be right; with its private part,
    /// where that is here and found to be right.
    pub(super) fn open<T: DeserializeOwned + Parts>(&self) -> Result<T, Flaw> {
        let first = self.after.is_none();
        let place = Place {
            kind: self.kind,
            chain: (!first).then(|| self.chain.to_owned()),
            after: self.after.map(str::to_owned),
            private: self.entry.private.map(str::to_owned),
        };
        opened(&self.entry, &place)
    }

    /// The name of what the chain is about.
    pub(super) fn id<I: Begins>(&self) -> Result<I, Flaw> {
        named(self.chain).map_err(|error| error.to_string())
    }

    /// What the chain is found by; empty but in its first record, and where its private part is not
    /// here.
    pub(super) fn key(&self) -> &'a str {
        let part = self.entry.part.as_ref();
        part.and_then(|part| part.key).unwrap_or_default()
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
        let mut not_here = 0;
        self.log.chain(chain, &mut |entry| {
            let entry = self.seen(entry);
            if entry.number.is_some_and(|number| number >= blocks) {
                return ControlFlow::Break(());
            }
            let taken = Record::new(entry, last.as_deref(), chain)
                .and_then(|record| taken(&mut read, &record));
            if let Err(what) = taken {
                failed = Some(self.damaged(entry.id, what));
                return ControlFlow::Break(());
            }
            not_here += u32::from(entry.private.is_some() && entry.part.is_none());
            last = Some(entry.id.to_owned());
            ControlFlow::Continue(())
        })?;
        if let Some(error) = failed {
            return Err(error);
        }
        let mut read = read.ok_or_else(|| self.damaged(chain, missing()))?;
        if not_here > 0 {
            read.private(PrivateParts::NotHere { records: not_here });
        }
        Ok(read)
    }

    /// Reads the chain that `asked` means: its name, the beginning of it, or `latest`; `None` where
    /// there is none, or several.
    ///
    /// # Errors
    ///
    /// A record is damaged, or the first one is missing.
    pub(super) fn read_asked<C: Chain>(&self, asked: &str) -> Result<Option<C>, StoreError> {
        let prefix = asked.to_ascii_lowercase();
        let found = if asked == "latest" {
            self.log.list(C::BEGINS, Order::Appended, 1)?
        } else if is_prefix(&prefix) {
            self.log.by_prefix(C::BEGINS, &prefix, 2)?
        } else {
            Vec::new()
        };
        match found.as_slice() {
            [one] => self.read(one, u32::MAX).map(Some),
            _ => Ok(None),
        }
    }

    /// One record of a chain.
    ///
    /// # Errors
    ///
    /// It is damaged or gone.
    pub(super) fn record<T: DeserializeOwned + Parts>(
        &self,
        id: &str,
        (kind, chain, after): (Kind, &str, &str),
    ) -> Result<T, StoreError> {
        let mut read = Err("it is gone".to_owned());
        self.log.record(id, &mut |entry| {
            let place = Place {
                kind,
                chain: Some(chain.to_owned()),
                after: Some(after.to_owned()),
                private: entry.private.map(str::to_owned),
            };
            read = opened(&self.seen(entry), &place);
        })?;
        read.map_err(|what| self.damaged(id, what))
    }
}

fn opened<T: DeserializeOwned + Parts>(entry: &Entry<'_>, place: &Place) -> Result<T, Flaw> {
    let mut record: T = open(entry.id, entry.body, place)?;
    if let (Some(id), Some(part)) = (entry.private, &entry.part) {
        put_back(id, part, &mut record)?;
    }
    Ok(record)
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
