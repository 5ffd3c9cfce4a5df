//! Matrices in a store: a chain of records of their own, which names the experiments.

use rusqlite::OptionalExtension;

use super::Store;
use crate::envelope::{Flaw, Kind, Place, open};
use crate::record::{MatrixConclusion, MatrixRun};
use crate::{ExperimentId, MatrixId, StoreError};

/// Everything that a store holds of one matrix but its experiments.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedMatrix {
    /// Its name.
    pub id: MatrixId,
    /// What the same matrix asked for again is recognised by.
    pub key: String,
    /// What was fixed before the first block.
    pub run: MatrixRun,
    /// What the blocks say, if they were concluded from; the last one counts.
    pub conclusion: Option<MatrixConclusion>,
}

impl Store {
    /// Begins a matrix whose experiments have been begun. `key` is what the same matrix asked for
    /// again is recognised by.
    ///
    /// # Errors
    ///
    /// The very same matrix was begun before; the store cannot be written.
    pub fn begin_matrix(&mut self, key: &str, run: &MatrixRun) -> Result<MatrixId, StoreError> {
        self.begin_chain(Kind::Matrix, key, run).map(MatrixId::new)
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
        self.append(id.chain(), Kind::MatrixConclusion, None, conclusion)
    }

    /// The matrices begun with this key, the latest first: there are several where it was asked for
    /// again with other inputs.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    pub fn matrices_of_key(&self, key: &str) -> Result<Vec<MatrixId>, StoreError> {
        let query = "SELECT id FROM record WHERE kind = 'matrix' AND key = ?1 ORDER BY seq DESC";
        let ids = self.ids(query, [key])?;
        Ok(ids.into_iter().map(MatrixId::new).collect())
    }

    /// The matrices begun last, the latest first, `most` of them.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    pub fn matrices(&self, most: u32) -> Result<Vec<MatrixId>, StoreError> {
        let query = "SELECT id FROM record WHERE kind = 'matrix' ORDER BY seq DESC LIMIT ?1";
        Ok(self
            .ids(query, [most])?
            .into_iter()
            .map(MatrixId::new)
            .collect())
    }

    /// The matrix that was begun or concluded last.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    pub fn latest_matrix(&self) -> Result<Option<MatrixId>, StoreError> {
        let query = "SELECT experiment FROM record WHERE kind IN ('matrix', 'matrix-conclusion') \
             ORDER BY seq DESC LIMIT 1";
        Ok(self.ids(query, ())?.pop().map(MatrixId::new))
    }

    /// Loads a matrix by its name, by the beginning of it, or as `latest`.
    ///
    /// # Errors
    ///
    /// No matrix, or several, have this name; a record is damaged.
    pub fn load_matrix(&self, asked: &str) -> Result<RecordedMatrix, StoreError> {
        let none = || StoreError::NoSuchMatrix {
            path: self.path.clone(),
            asked: asked.to_owned(),
        };
        let prefix = asked.to_ascii_lowercase();
        let mut ids = if asked == "latest" {
            let latest = self.latest_matrix()?;
            latest.iter().map(|id| id.chain().clone()).collect()
        } else if prefix.is_empty() || !prefix.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            Vec::new()
        } else {
            // `g` follows the last digit.
            self.ids(
                "SELECT id FROM record WHERE kind = 'matrix' AND id >= ?1 AND id < ?1 || 'g' LIMIT 2",
                [&prefix],
            )?
        };
        match (ids.pop(), ids.is_empty()) {
            (Some(id), true) => self.matrix(&id),
            _ => Err(none()),
        }
    }

    /// A matrix, each record checked against its name and its place.
    pub(super) fn matrix(&self, id: &ExperimentId) -> Result<RecordedMatrix, StoreError> {
        let query = "SELECT id, kind, key, body FROM record WHERE experiment = ?1 ORDER BY seq";
        let mut statement = self
            .connection
            .prepare_cached(query)
            .map_err(|error| self.sql(&error))?;
        let mut rows = statement
            .query([id.as_str()])
            .map_err(|error| self.sql(&error))?;
        let (mut begun, mut conclusion) = (None, None);
        let mut last: Option<String> = None;
        while let Some(row) = rows.next().map_err(|error| self.sql(&error))? {
            let (name, kind, key, body): (String, String, Option<String>, String) = row
                .try_into()
                .map_err(|error: rusqlite::Error| self.sql(&error))?;
            let damaged = |what: Flaw| self.damaged(&name, what);
            let kind =
                Kind::from_column(&kind).ok_or_else(|| damaged(format!("unknown kind {kind}")))?;
            let first = kind == Kind::Matrix;
            let place = Place {
                kind,
                experiment: (!first).then(|| id.as_str().to_owned()),
                after: last.take(),
                key: key.clone(),
            };
            match kind {
                Kind::Matrix => {
                    let run: MatrixRun = open(&name, &body, &place).map_err(damaged)?;
                    begun = Some((key.unwrap_or_default(), run));
                }
                Kind::MatrixConclusion => {
                    conclusion =
                        Some(open::<MatrixConclusion>(&name, &body, &place).map_err(damaged)?);
                }
                other => return Err(damaged(format!("a matrix has no {}", other.as_str()))),
            }
            last = Some(name);
        }
        let (key, run) = begun.ok_or_else(|| {
            self.damaged(
                id.as_str(),
                "it is missing, and others belong to it".to_owned(),
            )
        })?;
        Ok(RecordedMatrix {
            id: MatrixId::new(id.clone()),
            key,
            run,
            conclusion,
        })
    }

    /// Whether a chain of records is a matrix's.
    pub(super) fn is_matrix(&self, id: &ExperimentId) -> Result<bool, StoreError> {
        let query = "SELECT 1 FROM record WHERE experiment = ?1 AND kind LIKE 'matrix%' LIMIT 1";
        self.connection
            .query_row(query, [id.as_str()], |_| Ok(()))
            .optional()
            .map(|found| found.is_some())
            .map_err(|error| self.sql(&error))
    }
}
