//! A store to which records are appended, by the one process that has the right to measure. Each
//! record is on the disk when the call returns.

use std::ops::Deref;
use std::path::Path;

use serde::Serialize;

use super::Store;
use crate::envelope::{Kind, Place, seal};
use crate::id::Begins;
use crate::lock::MeasuringLock;
use crate::log::bundle::is_bundle;
use crate::log::sqlite::SqliteLog;
use crate::log::{Appended, Tip};
use crate::private::{Parts, Privacy, TakenOut};
use crate::record::{
    Block, Conclusion, Exclusion, Experiment, MatrixConclusion, MatrixRun, Note, NullConclusion,
    Pilot, Pin,
};
use crate::samples::StoredBlock;
use crate::{ChainId, ExperimentId, MatrixId, StoreError};

/// The evidence of a project, held by the one process that measures into it: nobody else appends as
/// long as this lives. It ends with the process, however that ends.
#[derive(Debug)]
pub struct LockedStore {
    pub(super) store: Store,
    privacy: Privacy,
    /// Given back after the store is closed.
    _lock: MeasuringLock,
}

/// All that can be read of a store can be read of a locked one.
impl Deref for LockedStore {
    type Target = Store;

    fn deref(&self) -> &Store {
        &self.store
    }
}

impl LockedStore {
    /// Takes the right to measure into the store in `folder` (a project's `.proofmark`), and opens
    /// it to append to it; makes both where they are missing.
    ///
    /// # Errors
    ///
    /// [`StoreError::Held`], with the process that measures; the file is foreign, damaged or of
    /// another version; the folder cannot be written; no space is left.
    pub fn open(folder: &Path) -> Result<LockedStore, StoreError> {
        LockedStore::open_with(folder, Privacy::here())
    }

    /// The same, told what to take for private.
    ///
    /// # Errors
    ///
    /// As [`LockedStore::open`].
    pub fn open_with(folder: &Path, privacy: Privacy) -> Result<LockedStore, StoreError> {
        if is_bundle(folder)? {
            return Err(StoreError::ReadOnly {
                path: folder.to_owned(),
                why: "it is a bundle, and nothing is added to one; name a folder".to_owned(),
            });
        }
        let log = SqliteLog::open_to_append(folder)?;
        Ok(LockedStore {
            _lock: MeasuringLock::take(folder)?,
            store: Store::of(log, folder),
            privacy,
        })
    }

    /// Gives the right to measure back, and goes on reading.
    #[must_use]
    pub fn unlocked(self) -> Store {
        let LockedStore {
            store, _lock: lock, ..
        } = self;
        drop(lock);
        store
    }

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
        self.begin_chain(Kind::Experiment, key, experiment.clone())
    }

    /// Begins a matrix whose experiments have been begun. `key` is what the same matrix asked for
    /// again is recognised by.
    ///
    /// # Errors
    ///
    /// The very same matrix was begun before; the store cannot be written.
    pub fn begin_matrix(&mut self, key: &str, run: &MatrixRun) -> Result<MatrixId, StoreError> {
        self.begin_chain(Kind::Matrix, key, run.clone())
    }

    pub(super) fn begin_chain<I: Begins, T: Serialize + Parts>(
        &mut self,
        kind: Kind,
        key: &str,
        record: T,
    ) -> Result<I, StoreError> {
        let place = Place {
            kind,
            chain: None,
            after: None,
            private: None,
        };
        let (id, appended) = self.write(place, None, Some(key), record)?;
        match appended {
            Appended::Kept => Ok(I::of_chain(id)),
            Appended::Elsewhere => Err(StoreError::BegunBefore { id }),
        }
    }

    /// Appends an experiment's pilot.
    ///
    /// # Errors
    ///
    /// There is no such experiment; the store cannot be written.
    pub fn pilot(&mut self, id: &ExperimentId, pilot: &Pilot) -> Result<(), StoreError> {
        self.append(id.chain(), Kind::Pilot, pilot.clone())
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
        let tip = self.tip(id.chain())?;
        let next = tip.numbered;
        if block.index != next {
            return Err(refused(format!("the next block is number {next}")));
        }
        self.append_after(tip, id.chain(), Kind::Block, Some(block.index), stored)
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
        self.append(id.chain(), Kind::PartialBlock, stored)
    }

    /// Appends that a build takes no further part in an experiment.
    ///
    /// # Errors
    ///
    /// There is no such experiment; the store cannot be written.
    pub fn exclude(&mut self, id: &ExperimentId, exclusion: &Exclusion) -> Result<(), StoreError> {
        self.append(id.chain(), Kind::Exclusion, exclusion.clone())
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
        self.append(id.chain(), Kind::Conclusion, conclusion.clone())
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
        self.append(id.chain(), Kind::NullConclusion, conclusion.clone())
    }

    /// Appends a remark.
    ///
    /// # Errors
    ///
    /// There is no such experiment; the store cannot be written.
    pub fn note(&mut self, id: &ExperimentId, note: &Note) -> Result<(), StoreError> {
        self.append(id.chain(), Kind::Note, note.clone())
    }

    /// Appends that what an experiment rests on is kept for good, or no longer is.
    ///
    /// # Errors
    ///
    /// There is no such experiment; the store cannot be written.
    pub fn pin(&mut self, id: &ExperimentId, pin: &Pin) -> Result<(), StoreError> {
        self.append(id.chain(), Kind::Pin, *pin)
    }

    /// Appends what a matrix's blocks say. A later conclusion corrects an earlier one.
    ///
    /// # Errors
    ///
    /// There is no such matrix; the store cannot be written.
    pub fn conclude_matrix(
        &mut self,
        id: &MatrixId,
        conclusion: &MatrixConclusion,
    ) -> Result<(), StoreError> {
        self.append(id.chain(), Kind::MatrixConclusion, conclusion.clone())
    }

    pub(super) fn append<T: Serialize + Parts>(
        &mut self,
        id: &ChainId,
        kind: Kind,
        record: T,
    ) -> Result<(), StoreError> {
        let tip = self.tip(id)?;
        self.append_after(tip, id, kind, None, record)
    }

    fn append_after<T: Serialize + Parts>(
        &mut self,
        tip: Tip,
        id: &ChainId,
        kind: Kind,
        number: Option<u32>,
        record: T,
    ) -> Result<(), StoreError> {
        let place = Place {
            kind,
            chain: Some(id.as_str().to_owned()),
            after: Some(tip.last),
            private: None,
        };
        match self.write(place, number, None, record)?.1 {
            Appended::Kept => Ok(()),
            // Somebody without the lock appended in between; the chain of names would break.
            Appended::Elsewhere => Err(StoreError::Busy {
                path: self.path.clone(),
            }),
        }
    }

    fn tip(&self, id: &ChainId) -> Result<Tip, StoreError> {
        let tip = self.log.tip(id.as_str())?;
        tip.ok_or_else(|| StoreError::NoSuchExperiment {
            path: self.path.clone(),
            asked: id.as_str().to_owned(),
        })
    }

    /// Parts a record from what is private in it, and appends both.
    fn write<T: Serialize + Parts>(
        &mut self,
        mut place: Place,
        number: Option<u32>,
        key: Option<&str>,
        mut record: T,
    ) -> Result<(ChainId, Appended), StoreError> {
        let unwritten = |what| StoreError::Unexpected {
            path: self.store.path.clone(),
            what,
        };
        let taken = self.privacy.take_out(key, &mut record);
        let taken = taken.map_err(unwritten)?;
        place.private = taken.as_ref().map(|taken| taken.id().to_owned());
        let sealed = seal(&place, &record).map_err(unwritten)?;
        let part = match &taken {
            Some(TakenOut::New(part, _)) => Some(part),
            Some(TakenOut::Before(_)) | None => None,
        };
        let appended = self.store.log.append(&place, number, &sealed, part)?;
        if appended == Appended::Kept {
            self.privacy.kept(taken);
        }
        Ok((sealed.id.into(), appended))
    }
}
