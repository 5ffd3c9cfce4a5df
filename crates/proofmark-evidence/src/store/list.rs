//! The experiments of a store at a glance.

use proofmark_terms::{BuildIndex, Interval, Margin, Metric, Verdict};
use serde::de::DeserializeOwned;

use super::Store;
use crate::envelope::Kind;
use crate::log::{ALL, Order};
use crate::private::Parts;
use crate::record::{Conclusion, NullConclusion, Question, Stop};
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
    pub state: Progress,
    /// What was found of each build but the base; of a null test, of the build against itself.
    /// Empty while unfinished.
    pub verdicts: Vec<VerdictOn>,
}

/// How far an experiment got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
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
        let chains = self.log.list(Kind::Experiment, Order::Begun, ALL)?;
        let begun_first = chains.iter().rev();
        begun_first
            .map(|chain| self.summary(self.named(chain)?))
            .collect()
    }

    fn summary(&self, id: ExperimentId) -> Result<Summary, StoreError> {
        let experiment = self.experiment(&id)?;
        let conclusion = self.last_of_kind::<Conclusion>(&id, Kind::Conclusion)?;
        let null = match conclusion {
            Some(_) => None,
            None => self.last_of_kind::<NullConclusion>(&id, Kind::NullConclusion)?,
        };
        let names: Vec<String> = experiment
            .builds
            .into_iter()
            .map(|build| build.name)
            .collect();
        let (state, verdicts) = match (conclusion, null) {
            (Some(conclusion), _) => (
                Progress::Finished {
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
                Progress::Finished {
                    blocks: null.blocks,
                    stop: null.stop,
                },
                vec![verdict_on(
                    &names,
                    BuildIndex::BASE,
                    null.interval,
                    null.verdict,
                )],
            ),
            (None, None) => (
                Progress::Unfinished {
                    blocks: self.log.tip(id.as_str())?.map_or(0, |tip| tip.numbered),
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

    /// The last of an experiment's records of a kind.
    pub(super) fn last_of_kind<T: DeserializeOwned + Parts>(
        &self,
        id: &ExperimentId,
        kind: Kind,
    ) -> Result<Option<T>, StoreError> {
        let last = self.log.last(id.as_str(), kind)?;
        let Some((last, before)) = last.and_then(|last| Some((last.id, last.before?))) else {
            return Ok(None);
        };
        self.record(&last, (kind, id.as_str(), &before)).map(Some)
    }
}

fn verdict_on(
    names: &[String],
    build: BuildIndex,
    interval: Interval,
    verdict: Verdict,
) -> VerdictOn {
    VerdictOn {
        name: build.of(names).cloned().unwrap_or_default(),
        interval,
        verdict,
    }
}
