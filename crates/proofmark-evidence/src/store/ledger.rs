//! What the records of a ledger add up to. Its matrices are chains of their own, which its entries
//! name.

use super::chain::{Chain, Record};
use super::{LockedStore, Store};
use crate::envelope::{Flaw, Kind};
use crate::log::{ALL, Order};
use crate::private::PrivateParts;
use crate::record::{Ledger, LedgerEntry};
use crate::{LedgerId, StoreError};

/// Everything that a store holds of one ledger but its matrices.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedLedger {
    /// Its name in the store.
    pub id: LedgerId,
    /// What was fixed before the first idea.
    pub ledger: Ledger,
    /// What happened, in its order.
    pub entries: Vec<LedgerEntry>,
    /// Whether the private parts of its records were there.
    pub private: PrivateParts,
}

impl Chain for RecordedLedger {
    const BEGINS: Kind = Kind::Ledger;

    fn begin(first: &Record<'_>) -> Result<Self, Flaw> {
        Ok(RecordedLedger {
            ledger: first.open()?,
            id: first.id()?,
            entries: Vec::new(),
            private: PrivateParts::Here,
        })
    }

    fn take(&mut self, record: &Record<'_>) -> Result<(), Flaw> {
        match record.kind {
            Kind::LedgerEntry => {
                let entry: LedgerEntry = record.open()?;
                let next = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
                if entry.index != next {
                    return Err(format!("entry {} stands where {next} belongs", entry.index));
                }
                self.entries.push(entry);
            }
            _ => return Err(record.stray()),
        }
        Ok(())
    }

    fn private(&mut self, parts: PrivateParts) {
        self.private = parts;
    }
}

impl Store {
    /// The ledger begun last with this key.
    ///
    /// # Errors
    ///
    /// The store cannot be read, or a record is damaged.
    pub fn ledger_of_key(&self, key: &str) -> Result<Option<RecordedLedger>, StoreError> {
        let found = self.log.by_key(Kind::Ledger, key)?;
        let last = found.first();
        last.map(|chain| self.read(chain, u32::MAX)).transpose()
    }

    /// All ledgers, the one that was begun last first.
    ///
    /// # Errors
    ///
    /// The store cannot be read, or a record is damaged.
    pub fn all_ledgers(&self) -> Result<Vec<RecordedLedger>, StoreError> {
        let chains = self.log.list(Kind::Ledger, Order::Begun, ALL)?;
        let chains = chains.iter();
        chains.map(|chain| self.read(chain, u32::MAX)).collect()
    }

    /// Loads a ledger by its name in the store, by the beginning of that, or as `latest`.
    ///
    /// # Errors
    ///
    /// No ledger, or several, have this name; a record is damaged.
    pub fn load_ledger(&self, asked: &str) -> Result<RecordedLedger, StoreError> {
        self.read_asked(asked)?
            .ok_or_else(|| StoreError::NoSuchLedger {
                path: self.path.clone(),
                asked: asked.to_owned(),
            })
    }
}

impl LockedStore {
    /// Begins a ledger. `key` is what it is recognised by, see [`Store::ledger_of_key`].
    ///
    /// # Errors
    ///
    /// The very same ledger was begun before; the store cannot be written.
    pub fn begin_ledger(&mut self, key: &str, ledger: &Ledger) -> Result<LedgerId, StoreError> {
        self.begin_chain(Kind::Ledger, key, ledger.clone())
    }

    /// Appends what happened to a ledger.
    ///
    /// # Errors
    ///
    /// There is no such ledger; the store cannot be written.
    pub fn ledger_entry(&mut self, id: &LedgerId, entry: &LedgerEntry) -> Result<(), StoreError> {
        self.append(id.chain(), Kind::LedgerEntry, entry.clone())
    }
}
