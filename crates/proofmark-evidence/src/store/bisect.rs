//! What the records of a bisection add up to. Its experiments are chains of their own, which its
//! steps name.

use super::chain::{Chain, Record};
use super::{LockedStore, Store};
use crate::envelope::{Flaw, Kind};
use crate::private::PrivateParts;
use crate::record::{Bisect, BisectConclusion, BisectStep, StepOf};
use crate::{BisectId, StoreError};

/// Everything that a store holds of one bisection but its experiments.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedBisect {
    /// Its name.
    pub id: BisectId,
    /// What was fixed before the first step.
    pub bisect: Bisect,
    /// The steps, in their order.
    pub steps: Vec<BisectStep>,
    /// What they say, if they were concluded from; the last one counts.
    pub conclusion: Option<BisectConclusion>,
    /// Whether the private parts of its records were there.
    pub private: PrivateParts,
}

impl Chain for RecordedBisect {
    const BEGINS: Kind = Kind::Bisect;

    fn begin(first: &Record<'_>) -> Result<Self, Flaw> {
        Ok(RecordedBisect {
            bisect: first.open()?,
            id: first.id()?,
            steps: Vec::new(),
            conclusion: None,
            private: PrivateParts::Here,
        })
    }

    fn take(&mut self, record: &Record<'_>) -> Result<(), Flaw> {
        match record.kind {
            Kind::BisectStep => {
                let step: BisectStep = record.open()?;
                let next = u32::try_from(self.steps.len()).unwrap_or(u32::MAX);
                if step.index != next {
                    return Err(format!("step {} stands where {next} belongs", step.index));
                }
                if let StepOf::Commit(commit) = step.of
                    && commit.of(&self.bisect.commits).is_none()
                {
                    return Err(format!("step {next} is of a commit that is not there"));
                }
                self.steps.push(step);
            }
            Kind::BisectConclusion => self.conclusion = Some(record.open()?),
            _ => return Err(record.stray()),
        }
        Ok(())
    }

    fn private(&mut self, parts: PrivateParts) {
        self.private = parts;
    }
}

impl Store {
    /// The bisection begun last with this key.
    ///
    /// # Errors
    ///
    /// The store cannot be read, or a record is damaged.
    pub fn bisect_of_key(&self, key: &str) -> Result<Option<RecordedBisect>, StoreError> {
        let found = self.log.by_key(Kind::Bisect, key)?;
        let last = found.first();
        last.map(|chain| self.read(chain, u32::MAX)).transpose()
    }

    /// Loads a bisection by its name, by the beginning of it, or as `latest`.
    ///
    /// # Errors
    ///
    /// No bisection, or several, have this name; a record is damaged.
    pub fn load_bisect(&self, asked: &str) -> Result<RecordedBisect, StoreError> {
        self.read_asked(asked)?
            .ok_or_else(|| StoreError::NoSuchBisect {
                path: self.path.clone(),
                asked: asked.to_owned(),
            })
    }
}

impl LockedStore {
    /// Begins a bisection. `key` is what the same one asked for again is recognised by, see
    /// [`Store::bisect_of_key`].
    ///
    /// # Errors
    ///
    /// The very same bisection was begun before; the store cannot be written.
    pub fn begin_bisect(&mut self, key: &str, bisect: &Bisect) -> Result<BisectId, StoreError> {
        self.begin_chain(Kind::Bisect, key, bisect.clone())
    }

    /// Appends a step of a bisection.
    ///
    /// # Errors
    ///
    /// There is no such bisection; the store cannot be written.
    pub fn bisect_step(&mut self, id: &BisectId, step: &BisectStep) -> Result<(), StoreError> {
        self.append(id.chain(), Kind::BisectStep, step.clone())
    }

    /// Appends what a bisection's steps say. A later conclusion corrects an earlier one.
    ///
    /// # Errors
    ///
    /// There is no such bisection; the store cannot be written.
    pub fn conclude_bisect(
        &mut self,
        id: &BisectId,
        conclusion: &BisectConclusion,
    ) -> Result<(), StoreError> {
        self.append(id.chain(), Kind::BisectConclusion, conclusion.clone())
    }
}
