//! What the records of a matrix add up to. Its experiments are chains of their own, which it names.

use super::Store;
use super::chain::{Chain, Record};
use crate::envelope::{Flaw, Kind};
use crate::log::Order;
use crate::private::PrivateParts;
use crate::record::{MatrixConclusion, MatrixRun};
use crate::{MatrixId, StoreError};

/// Everything that a store holds of one matrix but its experiments.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedMatrix {
    /// Its name.
    pub id: MatrixId,
    /// What the same matrix asked for again is recognised by; empty where its private part is not
    /// here.
    pub key: String,
    /// What was fixed before the first block.
    pub run: MatrixRun,
    /// What the blocks say, if they were concluded from; the last one counts.
    pub conclusion: Option<MatrixConclusion>,
    /// What was concluded before that, the first one first: of less that was asked, or of fewer
    /// blocks.
    pub earlier: Vec<MatrixConclusion>,
    /// Whether the private parts of its records were there.
    pub private: PrivateParts,
}

impl Chain for RecordedMatrix {
    const BEGINS: Kind = Kind::Matrix;

    fn begin(first: &Record<'_>) -> Result<Self, Flaw> {
        Ok(RecordedMatrix {
            run: first.open()?,
            id: first.id()?,
            key: first.key().to_owned(),
            conclusion: None,
            earlier: Vec::new(),
            private: PrivateParts::Here,
        })
    }

    fn take(&mut self, record: &Record<'_>) -> Result<(), Flaw> {
        match record.kind {
            Kind::MatrixConclusion => {
                let before = self.conclusion.replace(record.open()?);
                self.earlier.extend(before);
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
    /// The matrices begun with this key, the latest first: there are several where it was asked for
    /// again with other inputs.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    pub fn matrices_of_key(&self, key: &str) -> Result<Vec<MatrixId>, StoreError> {
        let found = self.log.by_key(Kind::Matrix, key)?;
        found.iter().map(|chain| self.named(chain)).collect()
    }

    /// The matrices begun last, the latest first, `most` of them.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    pub fn matrices(&self, most: u32) -> Result<Vec<MatrixId>, StoreError> {
        let found = self.log.list(Kind::Matrix, Order::Begun, most)?;
        found.iter().map(|chain| self.named(chain)).collect()
    }

    /// The matrix that was begun or concluded last.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    pub fn latest_matrix(&self) -> Result<Option<MatrixId>, StoreError> {
        let latest = self.log.list(Kind::Matrix, Order::Appended, 1)?;
        let latest = latest.first();
        latest.map(|chain| self.named(chain)).transpose()
    }

    /// Loads a matrix by its name, by the beginning of it, or as `latest`.
    ///
    /// # Errors
    ///
    /// No matrix, or several, have this name; a record is damaged.
    pub fn load_matrix(&self, asked: &str) -> Result<RecordedMatrix, StoreError> {
        self.read_asked(asked)?
            .ok_or_else(|| StoreError::NoSuchMatrix {
                path: self.path.clone(),
                asked: asked.to_owned(),
            })
    }
}
