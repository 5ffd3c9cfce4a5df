//! Appending records. Each is one transaction, on the disk when the call returns.

use rusqlite::{OptionalExtension, Transaction, TransactionBehavior, params};
use serde::Serialize;

use super::Store;
use crate::envelope::{Kind, Place, Sealed, seal};
use crate::record::{Block, Conclusion, Exclusion, Experiment, Note, NullConclusion, Pilot};
use crate::samples::StoredBlock;
use crate::{ExperimentId, StoreError};

impl Store {
    /// Begins an experiment. `key` is what the same question asked again is recognised by, see
    /// [`Store::unfinished`].
    ///
    /// # Errors
    ///
    /// The very same experiment was begun before; the store cannot be written.
    pub fn begin(
        &mut self,
        key: &str,
        experiment: &Experiment,
    ) -> Result<ExperimentId, StoreError> {
        self.begin_chain(Kind::Experiment, key, experiment)
    }

    /// Begins a chain of records: an experiment or a matrix.
    pub(super) fn begin_chain<T: Serialize>(
        &mut self,
        kind: Kind,
        key: &str,
        record: &T,
    ) -> Result<ExperimentId, StoreError> {
        let place = Place {
            kind,
            experiment: None,
            after: None,
            key: Some(key.to_owned()),
        };
        let sealed = self.seal(&place, record)?;
        let id = ExperimentId::from_hex(sealed.id.clone());
        if self.record_exists(id.as_str())? {
            return Err(StoreError::BegunBefore { id });
        }
        let path = self.path.clone();
        let begun =
            self.in_transaction(|transaction| insert(transaction, &id, &place, None, &sealed));
        begun.map_err(|error| StoreError::sql(&path, &error))?;
        Ok(id)
    }

    /// Appends an experiment's pilot.
    ///
    /// # Errors
    ///
    /// There is no such experiment; the store cannot be written.
    pub fn pilot(&mut self, id: &ExperimentId, pilot: &Pilot) -> Result<(), StoreError> {
        self.append(id, Kind::Pilot, None, pilot)
    }

    /// Appends a finished block: the next one of its experiment.
    ///
    /// # Errors
    ///
    /// The block is not one, or not the next; there is no such experiment; the store cannot be
    /// written. Blocks stored before stay.
    pub fn block(&mut self, id: &ExperimentId, block: &Block) -> Result<(), StoreError> {
        let refused = |what| StoreError::Refused {
            experiment: id.clone(),
            index: block.index,
            what,
        };
        let stored = StoredBlock::from_block(block).map_err(refused)?;
        let next = self.next_block(id)?;
        if block.index != next {
            return Err(refused(format!("the next block is number {next}")));
        }
        self.append(id, Kind::Block, Some(block.index), &stored)
    }

    /// Appends the rounds of a block in whose midst the budget was spent. They are kept, and never
    /// counted: the next block has the same number.
    ///
    /// # Errors
    ///
    /// It has no runs; there is no such experiment; the store cannot be written.
    pub fn partial_block(&mut self, id: &ExperimentId, block: &Block) -> Result<(), StoreError> {
        let stored = StoredBlock::from_block(block).map_err(|what| StoreError::Refused {
            experiment: id.clone(),
            index: block.index,
            what,
        })?;
        self.append(id, Kind::PartialBlock, None, &stored)
    }

    /// Appends that a build takes no further part in an experiment.
    ///
    /// # Errors
    ///
    /// There is no such experiment; the store cannot be written.
    pub fn exclude(&mut self, id: &ExperimentId, exclusion: &Exclusion) -> Result<(), StoreError> {
        self.append(id, Kind::Exclusion, None, exclusion)
    }

    /// Appends what an experiment's blocks say. A later conclusion corrects an earlier one.
    ///
    /// # Errors
    ///
    /// There is no such experiment; the store cannot be written.
    pub fn conclude(
        &mut self,
        id: &ExperimentId,
        conclusion: &Conclusion,
    ) -> Result<(), StoreError> {
        self.append(id, Kind::Conclusion, None, conclusion)
    }

    /// Appends what a null test's blocks say. A later conclusion corrects an earlier one.
    ///
    /// # Errors
    ///
    /// There is no such experiment; the store cannot be written.
    pub fn null_conclusion(
        &mut self,
        id: &ExperimentId,
        conclusion: &NullConclusion,
    ) -> Result<(), StoreError> {
        self.append(id, Kind::NullConclusion, None, conclusion)
    }

    /// Appends a remark.
    ///
    /// # Errors
    ///
    /// There is no such experiment; the store cannot be written.
    pub fn note(&mut self, id: &ExperimentId, note: &Note) -> Result<(), StoreError> {
        self.append(id, Kind::Note, None, note)
    }

    pub(super) fn append<T: Serialize>(
        &mut self,
        id: &ExperimentId,
        kind: Kind,
        number: Option<u32>,
        record: &T,
    ) -> Result<(), StoreError> {
        let Some(after) = self.last_record(id)? else {
            return Err(self.no_such(id.as_str()));
        };
        let place = Place {
            kind,
            experiment: Some(id.as_str().to_owned()),
            after: Some(after.clone()),
            key: None,
        };
        let sealed = self.seal(&place, record)?;
        let path = self.path.clone();
        let unchanged = self
            .in_transaction(|transaction| {
                let unchanged = last_of(transaction, id)?.as_ref() == Some(&after);
                if unchanged {
                    insert(transaction, id, &place, number, &sealed)?;
                }
                Ok(unchanged)
            })
            .map_err(|error| StoreError::sql(&path, &error))?;
        // Somebody else appended in between; the chain of names would break.
        if unchanged {
            Ok(())
        } else {
            Err(StoreError::Busy { path })
        }
    }

    fn in_transaction<T>(
        &mut self,
        write: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let written = write(&transaction)?;
        transaction.commit()?;
        Ok(written)
    }

    fn seal<T: Serialize>(&self, place: &Place, record: &T) -> Result<Sealed, StoreError> {
        seal(place, record).map_err(|error| StoreError::Unexpected {
            path: self.path.clone(),
            what: error.to_string(),
        })
    }

    fn record_exists(&self, id: &str) -> Result<bool, StoreError> {
        self.connection
            .query_row("SELECT 1 FROM record WHERE id = ?1", [id], |_| Ok(()))
            .optional()
            .map(|found| found.is_some())
            .map_err(|error| self.sql(&error))
    }

    fn last_record(&self, id: &ExperimentId) -> Result<Option<String>, StoreError> {
        last_of(&self.connection, id).map_err(|error| self.sql(&error))
    }

    fn next_block(&self, id: &ExperimentId) -> Result<u32, StoreError> {
        let query = "SELECT count(*) FROM record WHERE experiment = ?1 AND kind = 'block'";
        self.connection
            .query_row(query, [id.as_str()], |row| row.get(0))
            .map_err(|error| self.sql(&error))
    }
}

fn last_of(
    connection: &rusqlite::Connection,
    id: &ExperimentId,
) -> rusqlite::Result<Option<String>> {
    let query = "SELECT id FROM record WHERE experiment = ?1 ORDER BY seq DESC LIMIT 1";
    connection
        .query_row(query, [id.as_str()], |row| row.get(0))
        .optional()
}

fn insert(
    transaction: &Transaction<'_>,
    id: &ExperimentId,
    place: &Place,
    number: Option<u32>,
    sealed: &Sealed,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("INSERT INTO record (id, experiment, kind, number, key, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
        .execute(params![sealed.id, id.as_str(), place.kind.as_str(), number, place.key, sealed.body])
        .map(|_| ())
}
