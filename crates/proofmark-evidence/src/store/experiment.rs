//! Reading experiments back, each record checked against its name and its place.

use rusqlite::{OptionalExtension as _, Row};

use super::Store;
use crate::envelope::{Flaw, Kind, Place, open};
use crate::record::{Block, Conclusion, Exclusion, Experiment, Note, NullConclusion, Pilot};
use crate::samples::StoredBlock;
use crate::{Candidate, ExperimentId, StoreError};

/// Everything that a store holds of one experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// Its name.
    pub id: ExperimentId,
    /// What the same question asked again is recognised by.
    pub key: String,
    /// What was fixed before the first block.
    pub experiment: Experiment,
    /// How it was measured, once that was chosen.
    pub pilot: Option<Pilot>,
    /// The finished blocks, in the order of measurement.
    pub blocks: Vec<Block>,
    /// Blocks in whose midst the budget was spent; they count for nothing.
    pub partial: Vec<Block>,
    /// Builds that took no further part, in the order in which they left.
    pub exclusions: Vec<Exclusion>,
    /// What the blocks say; absent while the experiment is unfinished, and in a null test.
    pub conclusion: Option<Conclusion>,
    /// What the blocks of a null test say.
    pub null_conclusion: Option<NullConclusion>,
    /// Remarks made after it.
    pub notes: Vec<Note>,
}

/// What a check of the whole store went through without finding a flaw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Experiments in the store.
    pub experiments: u32,
    /// Records in the store.
    pub records: u32,
}

/// How many experiments an ambiguous name lists.
const CANDIDATES: u32 = 10;

impl Store {
    /// Loads an experiment by its name, by the beginning of it, or as `latest`.
    ///
    /// # Errors
    ///
    /// No experiment, or several, have this name; a record is damaged.
    pub fn load(&self, asked: &str) -> Result<Recorded, StoreError> {
        self.load_up_to(&self.find(asked)?, i64::MAX)
    }

    /// Loads an experiment up to its first `blocks` blocks: what was fixed, who dropped out, the
    /// pilot; all of it where there are no more.
    ///
    /// # Errors
    ///
    /// There is no such experiment; a record is damaged.
    pub fn load_beginning(&self, id: &ExperimentId, blocks: u32) -> Result<Recorded, StoreError> {
        let query = "SELECT seq FROM record WHERE experiment = ?1 AND kind = 'block' ORDER BY seq LIMIT 1 OFFSET ?2";
        let next = self
            .connection
            .query_row(query, (id.as_str(), blocks), |row| row.get(0))
            .optional()
            .map_err(|error| self.sql(&error))?;
        self.load_up_to(id, next.unwrap_or(i64::MAX))
    }

    /// Loads the records of an experiment before this place.
    fn load_up_to(&self, id: &ExperimentId, end: i64) -> Result<Recorded, StoreError> {
        let query = "SELECT id, kind, key, number, body FROM record WHERE experiment = ?1 AND seq < ?2 ORDER BY seq";
        let mut statement = self
            .connection
            .prepare_cached(query)
            .map_err(|error| self.sql(&error))?;
        let mut rows = statement
            .query((id.as_str(), end))
            .map_err(|error| self.sql(&error))?;
        let mut reading = Reading::new(id.clone());
        while let Some(row) = rows.next().map_err(|error| self.sql(&error))? {
            let line = Line::of(row).map_err(|error| self.sql(&error))?;
            reading
                .take(&line)
                .map_err(|what| self.damaged(line.id, what))?;
        }
        reading.end().map_err(|(id, what)| self.damaged(&id, what))
    }

    /// The full name of the experiment that `asked` means: its name, the beginning of it, or
    /// `latest`.
    ///
    /// # Errors
    ///
    /// No experiment, or several, have this name.
    pub fn find(&self, asked: &str) -> Result<ExperimentId, StoreError> {
        if asked == "latest" {
            return self.latest()?.ok_or_else(|| self.no_such(asked));
        }
        let prefix = asked.to_ascii_lowercase();
        if prefix.is_empty() || !prefix.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(self.no_such(asked));
        }
        // `g` follows the last digit.
        let query = "SELECT id FROM record WHERE kind = 'experiment' AND id >= ?1 AND id < ?1 || 'g' ORDER BY id LIMIT ?2";
        let mut ids = self.ids(query, (&prefix, CANDIDATES))?;
        match (ids.pop(), ids.is_empty()) {
            (None, _) => Err(self.no_such(asked)),
            (Some(id), true) => Ok(id),
            (Some(id), false) => {
                ids.push(id);
                let candidates = ids
                    .into_iter()
                    .map(|id| self.candidate(id))
                    .collect::<Result<_, _>>()?;
                Err(StoreError::Ambiguous {
                    asked: asked.to_owned(),
                    candidates,
                })
            }
        }
    }

    /// The experiment begun last.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    pub fn latest(&self) -> Result<Option<ExperimentId>, StoreError> {
        let query =
            "SELECT experiment FROM record WHERE kind = 'experiment' ORDER BY seq DESC LIMIT 1";
        Ok(self.ids(query, ())?.pop())
    }

    /// The experiment begun last with this key, when it has no conclusion.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    pub fn unfinished(&self, key: &str) -> Result<Option<ExperimentId>, StoreError> {
        let query = "SELECT id FROM record AS begun WHERE kind = 'experiment' AND key = ?1 \
             AND seq = (SELECT max(seq) FROM record WHERE kind = 'experiment' AND key = ?1) \
             AND NOT EXISTS (SELECT 1 FROM record WHERE experiment = begun.id AND kind IN ('conclusion', 'null-conclusion'))";
        Ok(self.ids(query, [key])?.pop())
    }

    /// Checks every record of the store against its name and its place, and the file's own
    /// structure.
    ///
    /// # Errors
    ///
    /// The first flaw found.
    pub fn check(&self) -> Result<Checked, StoreError> {
        let whole: String = self
            .connection
            .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
            .map_err(|error| self.sql(&error))?;
        if whole != "ok" {
            return Err(StoreError::Damaged {
                path: self.path.clone(),
                what: whole,
            });
        }
        let ids = self.ids("SELECT DISTINCT experiment FROM record", ())?;
        let mut experiments = 0;
        for id in &ids {
            if self.is_matrix(id)? {
                self.matrix(id)?;
            } else {
                self.load(id.as_str())?;
                experiments += 1;
            }
        }
        let records = self
            .connection
            .query_row("SELECT count(*) FROM record", [], |row| row.get(0))
            .map_err(|error| self.sql(&error))?;
        Ok(Checked {
            experiments,
            records,
        })
    }

    pub(super) fn no_such(&self, asked: &str) -> StoreError {
        StoreError::NoSuchExperiment {
            path: self.path.clone(),
            asked: asked.to_owned(),
        }
    }

    pub(super) fn damaged(&self, id: &str, what: Flaw) -> StoreError {
        StoreError::DamagedRecord {
            path: self.path.clone(),
            id: id.to_owned(),
            what,
        }
    }

    pub(super) fn ids(
        &self,
        query: &str,
        values: impl rusqlite::Params,
    ) -> Result<Vec<ExperimentId>, StoreError> {
        let mut statement = self
            .connection
            .prepare_cached(query)
            .map_err(|error| self.sql(&error))?;
        statement
            .query_map(values, |row| row.get(0).map(ExperimentId::from_hex))
            .and_then(Iterator::collect)
            .map_err(|error| self.sql(&error))
    }

    fn candidate(&self, id: ExperimentId) -> Result<Candidate, StoreError> {
        let experiment = self.experiment(&id)?;
        Ok(Candidate {
            id,
            names: experiment
                .builds
                .into_iter()
                .map(|build| build.name)
                .collect(),
        })
    }
}

/// One row of an experiment.
struct Line<'a> {
    id: &'a str,
    kind: &'a str,
    key: Option<&'a str>,
    number: Option<u32>,
    body: &'a str,
}

impl<'a> Line<'a> {
    fn of(row: &'a Row<'_>) -> rusqlite::Result<Self> {
        Ok(Line {
            id: row.get_ref(0)?.as_str()?,
            kind: row.get_ref(1)?.as_str()?,
            key: row.get_ref(2)?.as_str_or_null()?,
            number: row.get(3)?,
            body: row.get_ref(4)?.as_str()?,
        })
    }
}

/// An experiment that is being read, record after record.
struct Reading {
    id: ExperimentId,
    last: Option<String>,
    begun: Option<(String, Experiment)>,
    pilot: Option<Pilot>,
    blocks: Vec<Block>,
    partial: Vec<Block>,
    exclusions: Vec<Exclusion>,
    conclusion: Option<Conclusion>,
    null_conclusion: Option<NullConclusion>,
    notes: Vec<Note>,
}

impl Reading {
    fn new(id: ExperimentId) -> Self {
        Reading {
            id,
            last: None,
            begun: None,
            pilot: None,
            blocks: Vec::new(),
            partial: Vec::new(),
            exclusions: Vec::new(),
            conclusion: None,
            null_conclusion: None,
            notes: Vec::new(),
        }
    }

    fn take(&mut self, line: &Line<'_>) -> Result<(), Flaw> {
        let kind =
            Kind::from_column(line.kind).ok_or_else(|| format!("unknown kind {}", line.kind))?;
        let experiment = (kind != Kind::Experiment).then(|| self.id.as_str().to_owned());
        let place = Place {
            kind,
            experiment,
            after: self.last.take(),
            key: line.key.map(str::to_owned),
        };
        match kind {
            Kind::Experiment => {
                let experiment = open(line.id, line.body, &place)?;
                self.begun = Some((place.key.unwrap_or_default(), experiment));
            }
            Kind::Pilot => self.pilot = Some(open(line.id, line.body, &place)?),
            Kind::Block => self.take_block(line, &place)?,
            Kind::PartialBlock => {
                let block = open::<StoredBlock>(line.id, line.body, &place)?;
                self.partial.push(block.into_block()?);
            }
            Kind::Conclusion => self.conclusion = Some(open(line.id, line.body, &place)?),
            Kind::NullConclusion => self.null_conclusion = Some(open(line.id, line.body, &place)?),
            Kind::Note => self.notes.push(open(line.id, line.body, &place)?),
            Kind::Exclusion => self.exclusions.push(open(line.id, line.body, &place)?),
            Kind::Matrix | Kind::MatrixConclusion => {
                return Err("it is a matrix's, and stands in an experiment".to_owned());
            }
        }
        self.last = Some(line.id.to_owned());
        Ok(())
    }

    fn take_block(&mut self, line: &Line<'_>, place: &Place) -> Result<(), Flaw> {
        let block = open::<StoredBlock>(line.id, line.body, place)?.into_block()?;
        if Some(block.index) != line.number || usize::try_from(block.index) != Ok(self.blocks.len())
        {
            return Err(format!(
                "it is block {} in the place of block {}",
                block.index,
                self.blocks.len()
            ));
        }
        self.blocks.push(block);
        Ok(())
    }

    fn end(self) -> Result<Recorded, (String, Flaw)> {
        let Reading {
            id,
            begun,
            pilot,
            blocks,
            partial,
            exclusions,
            conclusion,
            null_conclusion,
            notes,
            ..
        } = self;
        let Some((key, experiment)) = begun else {
            return Err((
                id.as_str().to_owned(),
                "it is missing, and others belong to it".to_owned(),
            ));
        };
        Ok(Recorded {
            id,
            key,
            experiment,
            pilot,
            blocks,
            partial,
            exclusions,
            conclusion,
            null_conclusion,
            notes,
        })
    }
}
