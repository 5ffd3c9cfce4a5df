//! The experiments of a store at a glance.

use proofmark_stats::{Interval, Margin, Verdict};
use proofmark_terms::Metric;
use rusqlite::OptionalExtension;
use serde::de::DeserializeOwned;

use super::Store;
use crate::envelope::{Kind, Place, open};
use crate::record::{Conclusion, Experiment, NullConclusion, Question, Stop};
use crate::{ExperimentId, StoreError};

/// One experiment at a glance.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Its name.
    pub id: ExperimentId,
    /// What was asked.
    pub question: Question,
    /// Names of the builds; the first is the base.
    pub names: Vec<String>,
    /// The benchmark's command, for people.
    pub command: Vec<String>,
    /// What was read from each run.
    pub metric: Metric,
    /// Below it two builds are equivalent.
    pub margin: Margin,
    /// Milliseconds since 1970-01-01 UTC when it began.
    pub began_ms: u64,
    /// How far it got.
    pub state: State,
    /// What was found of each build but the base; of a null test, of the build against itself.
    /// Empty while unfinished.
    pub verdicts: Vec<VerdictOn>,
}

/// How far an experiment got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It has no conclusion: being measured, or interrupted.
    Unfinished {
        /// Finished blocks.
        blocks: u32,
    },
    /// It has one.
    Finished {
        /// Blocks that it rests on.
        blocks: u32,
        /// Why measuring stopped.
        stop: Stop,
    },
}

/// What was found of one build.
#[derive(Clone, Debug, PartialEq)]
pub struct VerdictOn {
    /// The build.
    pub name: String,
    /// new ÷ base.
    pub interval: Interval,
    /// What the interval says.
    pub verdict: Verdict,
}

impl Store {
    /// All experiments, in the order in which they were begun.
    ///
    /// # Errors
    ///
    /// The store cannot be read; a record is damaged.
    pub fn list(&self) -> Result<Vec<Summary>, StoreError> {
        let ids = self.ids(
            "SELECT experiment FROM record WHERE kind = 'experiment' ORDER BY seq",
            (),
        )?;
        ids.into_iter().map(|id| self.summary(id)).collect()
    }

    fn summary(&self, id: ExperimentId) -> Result<Summary, StoreError> {
        let experiment = self.experiment(&id)?;
        let conclusion = self.last_of_kind::<Conclusion>(&id, Kind::Conclusion)?;
        let null = self.last_of_kind::<NullConclusion>(&id, Kind::NullConclusion)?;
        let names: Vec<String> = experiment
            .builds
            .into_iter()
            .map(|build| build.name)
            .collect();
        let (state, verdicts) = match (conclusion, null) {
            (Some(conclusion), _) => (
                State::Finished {
                    blocks: conclusion.blocks,
                    stop: conclusion.stop,
                },
                conclusion
                    .comparisons
                    .iter()
                    .map(|one| verdict_on(&names, one.build, one.interval, one.verdict))
                    .collect(),
            ),
            (None, Some(null)) => (
                State::Finished {
                    blocks: null.blocks,
                    stop: null.stop,
                },
                vec![verdict_on(&names, 0, null.interval, null.verdict)],
            ),
            (None, None) => (
                State::Unfinished {
                    blocks: self.blocks(&id)?,
                },
                Vec::new(),
            ),
        };
        let command = experiment
            .benchmark
            .argv
            .iter()
            .map(|word| word.display().into_owned())
            .collect();
        let (question, began_ms) = (experiment.question, experiment.began_ms);
        let (metric, margin) = (experiment.benchmark.metric, experiment.design.margin);
        Ok(Summary {
            id,
            question,
            names,
            command,
            metric,
            margin,
            began_ms,
            state,
            verdicts,
        })
    }

    /// An experiment's first record.
    pub(super) fn experiment(&self, id: &ExperimentId) -> Result<Experiment, StoreError> {
        let (key, body): (String, String) = self
            .connection
            .query_row(
                "SELECT key, body FROM record WHERE id = ?1 AND kind = 'experiment'",
                [id.as_str()],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .optional()
            .map_err(|error| self.sql(&error))?
            .ok_or_else(|| self.no_such(id.as_str()))?;
        let place = Place {
            kind: Kind::Experiment,
            experiment: None,
            after: None,
            key: Some(key),
        };
        open(id.as_str(), &body, &place).map_err(|what| self.damaged(id.as_str(), what))
    }

    fn last_of_kind<T: DeserializeOwned>(
        &self,
        id: &ExperimentId,
        kind: Kind,
    ) -> Result<Option<T>, StoreError> {
        let query = "SELECT id, body, (SELECT before.id FROM record AS before \
               WHERE before.experiment = record.experiment AND before.seq < record.seq ORDER BY before.seq DESC LIMIT 1) \
             FROM record WHERE experiment = ?1 AND kind = ?2 ORDER BY seq DESC LIMIT 1";
        let found: Option<(String, String, Option<String>)> = self
            .connection
            .query_row(query, [id.as_str(), kind.as_str()], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .optional()
            .map_err(|error| self.sql(&error))?;
        let Some((name, body, after)) = found else {
            return Ok(None);
        };
        let place = Place {
            kind,
            experiment: Some(id.as_str().to_owned()),
            after,
            key: None,
        };
        open(&name, &body, &place)
            .map(Some)
            .map_err(|what| self.damaged(&name, what))
    }

    fn blocks(&self, id: &ExperimentId) -> Result<u32, StoreError> {
        let query = "SELECT count(*) FROM record WHERE experiment = ?1 AND kind = 'block'";
        self.connection
            .query_row(query, [id.as_str()], |row| row.get(0))
            .map_err(|error| self.sql(&error))
    }
}

fn verdict_on(names: &[String], build: u32, interval: Interval, verdict: Verdict) -> VerdictOn {
    let name = usize::try_from(build)
        .ok()
        .and_then(|index| names.get(index))
        .cloned()
        .unwrap_or_default();
    VerdictOn {
        name,
        interval,
        verdict,
    }
}
