//! What the records of a series add up to. Its experiments are chains of their own, which its
//! entries name.

use super::chain::{Chain, Record};
use super::{LockedStore, Store};
use crate::envelope::{Flaw, Kind};
use crate::log::{ALL, Order};
use crate::private::PrivateParts;
use crate::record::{Series, SeriesEntry};
use crate::{SeriesId, StoreError};

/// Everything that a store holds of one series but its experiments.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedSeries {
    /// Its name.
    pub id: SeriesId,
    /// What was fixed before the first point.
    pub series: Series,
    /// What was measured, in its order.
    pub entries: Vec<SeriesEntry>,
    /// Whether the private parts of its records were there.
    pub private: PrivateParts,
}

impl Chain for RecordedSeries {
    const BEGINS: Kind = Kind::Series;

    fn begin(first: &Record<'_>) -> Result<Self, Flaw> {
        Ok(RecordedSeries {
            series: first.open()?,
            id: first.id()?,
            entries: Vec::new(),
            private: PrivateParts::Here,
        })
    }

    fn take(&mut self, record: &Record<'_>) -> Result<(), Flaw> {
        match record.kind {
            Kind::SeriesEntry => {
                let entry: SeriesEntry = record.open()?;
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
    /// The series begun last with this key.
    ///
    /// # Errors
    ///
    /// The store cannot be read, or a record is damaged.
    pub fn series_of_key(&self, key: &str) -> Result<Option<RecordedSeries>, StoreError> {
        let found = self.log.by_key(Kind::Series, key)?;
        let last = found.first();
        last.map(|chain| self.read(chain, u32::MAX)).transpose()
    }

    /// All series, the one that was begun last first.
    ///
    /// # Errors
    ///
    /// The store cannot be read, or a record is damaged.
    pub fn all_series(&self) -> Result<Vec<RecordedSeries>, StoreError> {
        let chains = self.log.list(Kind::Series, Order::Begun, ALL)?;
        let chains = chains.iter();
        chains.map(|chain| self.read(chain, u32::MAX)).collect()
    }

    /// Loads a series by its name, by the beginning of it, or as `latest`.
    ///
    /// # Errors
    ///
    /// No series, or several, have this name; a record is damaged.
    pub fn load_series(&self, asked: &str) -> Result<RecordedSeries, StoreError> {
        self.read_asked(asked)?
            .ok_or_else(|| StoreError::NoSuchSeries {
                path: self.path.clone(),
                asked: asked.to_owned(),
            })
    }
}

impl LockedStore {
    /// Begins a series. `key` is what the same one asked for again is recognised by, see
    /// [`Store::series_of_key`].
    ///
    /// # Errors
    ///
    /// The very same series was begun before; the store cannot be written.
    pub fn begin_series(&mut self, key: &str, series: &Series) -> Result<SeriesId, StoreError> {
        self.begin_chain(Kind::Series, key, series.clone())
    }

    /// Appends what was measured for a series.
    ///
    /// # Errors
    ///
    /// There is no such series; the store cannot be written.
    pub fn series_entry(&mut self, id: &SeriesId, entry: &SeriesEntry) -> Result<(), StoreError> {
        self.append(id.chain(), Kind::SeriesEntry, entry.clone())
    }
}
