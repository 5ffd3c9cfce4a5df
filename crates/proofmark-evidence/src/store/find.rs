//! Experiments found again: by name, by key, as the latest.

use super::Store;
use crate::envelope::Kind;
use crate::log::Order;
use crate::record::Experiment;
use crate::{Candidate, ExperimentId, StoreError};

/// How many experiments an ambiguous name lists.
const CANDIDATES: u32 = 10;

impl Store {
    /// The full name of the experiment that `asked` means: its name, the beginning of it, or
    /// `latest`.
    ///
    /// # Errors
    ///
    /// No experiment, or several, have this name.
    pub fn find(&self, asked: &str) -> Result<ExperimentId, StoreError> {
        let none = || StoreError::NoSuchExperiment {
            path: self.path.clone(),
            asked: asked.to_owned(),
        };
        if asked == "latest" {
            return self.latest()?.ok_or_else(none);
        }
        let prefix = asked.to_ascii_lowercase();
        if !is_prefix(&prefix) {
            return Err(none());
        }
        let mut found = self.log.by_prefix(Kind::Experiment, &prefix, CANDIDATES)?;
        if found.len() > 1 {
            let candidates = found.iter().map(|id| self.candidate(id));
            return Err(StoreError::Ambiguous {
                asked: asked.to_owned(),
                candidates: candidates.collect::<Result<_, _>>()?,
            });
        }
        let found = found.pop().ok_or_else(none)?;
        self.named(&found)
    }

    /// The experiment that was added to last: one that was taken up again may have begun before
    /// others.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    pub fn latest(&self) -> Result<Option<ExperimentId>, StoreError> {
        let latest = self.log.list(Kind::Experiment, Order::Appended, 1)?;
        let latest = latest.first();
        latest.map(|chain| self.named(chain)).transpose()
    }

    /// The experiment begun last with this key, when it has no conclusion.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    pub fn unfinished(&self, key: &str) -> Result<Option<ExperimentId>, StoreError> {
        let Some(last) = self.log.by_key(Kind::Experiment, key)?.into_iter().next() else {
            return Ok(None);
        };
        for end in [Kind::Conclusion, Kind::NullConclusion] {
            if self.log.last(&last, end)?.is_some() {
                return Ok(None);
            }
        }
        self.named(&last).map(Some)
    }

    /// What was fixed of an experiment before its first block.
    pub(super) fn experiment(&self, id: &ExperimentId) -> Result<Experiment, StoreError> {
        Ok(self.load_beginning(id, 0)?.experiment)
    }

    fn candidate(&self, id: &str) -> Result<Candidate, StoreError> {
        let id: ExperimentId = self.named(id)?;
        let builds = self.experiment(&id)?.builds;
        Ok(Candidate {
            id,
            names: builds.into_iter().map(|build| build.name).collect(),
        })
    }
}

/// Whether this may be the beginning of a name.
pub(super) fn is_prefix(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
