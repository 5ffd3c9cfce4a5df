//! Which captured builds experiments rest on that somebody may still want to go on with.

use super::Store;
use super::sweep::RecordedSweep;
use crate::envelope::Kind;
use crate::log::{ALL, Order};
use crate::record::{Build, BuildOrigin, Pin, PinState};
use crate::samples::StoredBlock;
use crate::{ExperimentId, StoreError};

/// An experiment whose builds must not be thrown away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// The experiment.
    pub experiment: ExperimentId,
    /// Content hashes of the captures that it rests on, in hexadecimal.
    pub captures: Vec<String>,
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
            let experiment = ExperimentId::from_hex(chain);
            if let Some(why) = self.reason(&experiment, since_ms)? {
                let builds = self.experiment(&experiment)?.builds;
                uses.push(Use {
                    experiment,
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
                    experiment: ExperimentId::from_hex(chain),
                    captures: captures(read.sweep.build),
                    why: UseReason::Recent,
                });
            }
        }
        Ok(uses)
    }

    fn reason(&self, id: &ExperimentId, since_ms: u64) -> Result<Option<UseReason>, StoreError> {
        let headings = self.log.headings(id.as_str())?;
        let pin = self.last_of_kind::<Pin>(id, &headings, Kind::Pin)?;
        if pin.is_some_and(|pin| pin.state == PinState::Pinned) {
            return Ok(Some(UseReason::Pinned));
        }
        let block = self.last_of_kind::<StoredBlock>(id, &headings, Kind::Block)?;
        let last_ms = match block {
            Some(block) => block.began_ms(),
            None => self.experiment(id)?.began_ms,
        };
        Ok((last_ms >= since_ms).then_some(UseReason::Recent))
    }
}

fn captures(build: Build) -> Vec<String> {
    match build.origin {
        BuildOrigin::Captured { ids, .. } => ids,
        BuildOrigin::Executable { .. } => Vec::new(),
    }
}
