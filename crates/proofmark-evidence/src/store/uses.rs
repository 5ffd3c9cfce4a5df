//! Which captured builds experiments rest on that somebody may still want to go on with.

use std::collections::HashSet;

use proofmark_terms::{CaptureId, Digest};

use super::Store;
use super::attribution::RecordedAttribution;
use super::explanation::RecordedExplanation;
use super::matrix::RecordedMatrix;
use super::sweep::RecordedSweep;
use crate::envelope::Kind;
use crate::log::{ALL, Order};
use crate::record::{Build, BuildOrigin, Pin, PinState};
use crate::samples::StoredBlock;
use crate::{ChainId, ExperimentId, StoreError};

/// An experiment, a sweep, an attribution or an explanation whose builds must not be thrown away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// The chain of its records.
    pub chain: ChainId,
    /// The captures that it rests on.
    pub captures: Vec<CaptureId>,
    /// Why.
    pub why: UseReason,
}

/// Why the builds of an experiment must not be thrown away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UseReason {
    /// It is pinned.
    Pinned,
    /// It was measured lately.
    Recent,
}

impl Store {
    /// The experiments that are pinned, or that were begun or measured since then, in milliseconds
    /// since 1970-01-01 UTC.
    ///
    /// # Errors
    ///
    /// The store cannot be read; a record that tells of it is damaged.
    pub fn uses(&self, since_ms: u64) -> Result<Vec<Use>, StoreError> {
        let mut uses = Vec::new();
        for chain in self.log.list(Kind::Experiment, Order::Begun, ALL)? {
            let experiment: ExperimentId = self.named(&chain)?;
            if let Some(why) = self.reason(&experiment, since_ms)? {
                let builds = self.experiment(&experiment)?.builds;
                uses.push(Use {
                    chain: experiment.chain().clone(),
                    captures: builds.into_iter().flat_map(captures).collect(),
                    why,
                });
            }
        }
        for chain in self.log.list(Kind::Sweep, Order::Begun, ALL)? {
            let read: RecordedSweep = self.read(&chain, u32::MAX)?;
            let last = read.blocks.last().map(|block| block.began_ms);
            if last.unwrap_or(read.sweep.began_ms) >= since_ms {
                uses.push(Use {
                    chain: self.named(&chain)?,
                    captures: captures(read.sweep.build),
                    why: UseReason::Recent,
                });
            }
        }
        for chain in self.log.list(Kind::Attribution, Order::Begun, ALL)? {
            let read: RecordedAttribution = self.read(&chain, u32::MAX)?;
            let last = read.blocks.last().map(|block| block.began_ms);
            if last.unwrap_or(read.attribution.began_ms) >= since_ms {
                uses.push(Use {
                    chain: self.named(&chain)?,
                    captures: captures(read.attribution.build),
                    why: UseReason::Recent,
                });
            }
        }
        for chain in self.log.list(Kind::Explanation, Order::Begun, ALL)? {
            let read: RecordedExplanation = self.read(&chain, u32::MAX)?;
            let last = read.blocks.last().map(|block| block.began_ms);
            if last.unwrap_or(read.explanation.began_ms) >= since_ms {
                let builds = self.experiment(&read.explanation.comparison)?.builds;
                uses.push(Use {
                    chain: self.named(&chain)?,
                    captures: builds.into_iter().flat_map(captures).collect(),
                    why: UseReason::Recent,
                });
            }
        }
        Ok(uses)
    }

    /// What records of kinds that are not known here may refer to: every digest that stands in one
    /// of them, of whatever it is, and the captures of every experiment, matrix, sweep and
    /// attribution among these. A later version wrote them, and only it knows what they need.
    ///
    /// # Errors
    ///
    /// The store cannot be read; an experiment or a sweep that is referred to is damaged.
    pub fn referred_to_by_later(&self) -> Result<HashSet<Digest>, StoreError> {
        let mut found = HashSet::new();
        self.log.others(&Kind::ALL, &mut |entry| {
            let private = entry.part.map(|part| part.body);
            let bodies = [entry.body].into_iter().chain(private);
            found.extend(bodies.flat_map(digests));
        })?;
        let mut rests_on = Vec::new();
        for chain in self.log.list(Kind::Experiment, Order::Begun, ALL)? {
            if found.contains(chain.as_str()) {
                let experiment = self.experiment(&self.named(&chain)?)?;
                rests_on.extend(experiment.builds.into_iter().flat_map(captures));
            }
        }
        for chain in self.log.list(Kind::Matrix, Order::Begun, ALL)? {
            if found.contains(chain.as_str()) {
                let read: RecordedMatrix = self.read(&chain, u32::MAX)?;
                for member in read.run.members {
                    let builds = self.experiment(&member.experiment)?.builds;
                    rests_on.extend(builds.into_iter().flat_map(captures));
                }
            }
        }
        for chain in self.log.list(Kind::Sweep, Order::Begun, ALL)? {
            if found.contains(chain.as_str()) {
                let read: RecordedSweep = self.read(&chain, u32::MAX)?;
                rests_on.extend(captures(read.sweep.build));
            }
        }
        for chain in self.log.list(Kind::Attribution, Order::Begun, ALL)? {
            if found.contains(chain.as_str()) {
                let read: RecordedAttribution = self.read(&chain, u32::MAX)?;
                rests_on.extend(captures(read.attribution.build));
            }
        }
        for chain in self.log.list(Kind::Explanation, Order::Begun, ALL)? {
            if found.contains(chain.as_str()) {
                let read: RecordedExplanation = self.read(&chain, u32::MAX)?;
                let builds = self.experiment(&read.explanation.comparison)?.builds;
                rests_on.extend(builds.into_iter().flat_map(captures));
            }
        }
        found.extend(rests_on.into_iter().map(Digest::from));
        Ok(found)
    }

    fn reason(&self, id: &ExperimentId, since_ms: u64) -> Result<Option<UseReason>, StoreError> {
        let pin = self.last_of_kind::<Pin>(id, Kind::Pin)?;
        if pin.is_some_and(|pin| pin.state == PinState::Pinned) {
            return Ok(Some(UseReason::Pinned));
        }
        let block = self.last_of_kind::<StoredBlock>(id, Kind::Block)?;
        let last_ms = match block {
            Some(block) => block.began_ms(),
            None => self.experiment(id)?.began_ms,
        };
        Ok((last_ms >= since_ms).then_some(UseReason::Recent))
    }
}

/// The words of a text that may be digests.
pub(super) fn digests(text: &str) -> impl Iterator<Item = Digest> {
    let words = text.split(|letter: char| !matches!(letter, '0'..='9' | 'a'..='f'));
    words.filter_map(|word| word.parse().ok())
}

fn captures(build: Build) -> Vec<CaptureId> {
    match build.origin {
        BuildOrigin::Captured { ids, .. } => ids,
        BuildOrigin::Executable { .. } => Vec::new(),
    }
}
