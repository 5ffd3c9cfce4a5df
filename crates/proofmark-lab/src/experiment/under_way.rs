//! An experiment under way: what it is, what the store already holds of it, and what it may still
//! spend.

use proofmark_evidence::record::{Block, Experiment, Pilot, Stop};
use proofmark_evidence::{ExperimentId, Recorded};

use crate::budget::Budget;
use crate::clock::now_ms;
use crate::error::{LabError, Stage};

/// An experiment under way: what it is, and what the store already holds of it.
#[derive(Debug)]
pub struct UnderWay {
    /// Its name in the store.
    pub id: ExperimentId,
    /// What was fixed at its beginning.
    pub experiment: Experiment,
    /// Its pilot, where it got that far.
    pub pilot: Option<Pilot>,
    /// Its finished blocks.
    pub blocks: Vec<Block>,
    /// How many of those are of earlier sittings.
    pub earlier_blocks: usize,
    /// Time that blocks took which the budget ended in their midst, in milliseconds.
    pub partial_ms: u64,
    /// When this sitting began, in milliseconds since 1970-01-01 UTC: the budget runs from here.
    pub began_ms: u64,
}

impl UnderWay {
    /// An experiment from the store, in a sitting that begins now.
    pub(crate) fn of(recorded: Recorded) -> Self {
        UnderWay {
            partial_ms: recorded.partial.iter().map(|block| block.took_ms).sum(),
            id: recorded.id,
            experiment: recorded.experiment,
            pilot: recorded.pilot,
            earlier_blocks: recorded.blocks.len(),
            blocks: recorded.blocks,
            began_ms: now_ms(),
        }
    }

    /// How many blocks are finished.
    pub(crate) fn done(&self) -> u32 {
        u32::try_from(self.blocks.len()).unwrap_or(u32::MAX)
    }

    /// What may be spent in this sitting.
    pub(crate) fn budget(&self) -> Budget {
        let earlier_ms = self.earlier_ms(self.pilot.as_ref());
        Budget::new(&self.experiment.design, self.began_ms, earlier_ms)
    }

    /// Time that earlier sittings took, in milliseconds, with the pilot where it is theirs. Which
    /// blocks are theirs is not told by the time of day: the clock may have been set back since.
    pub(crate) fn earlier_ms(&self, pilot: Option<&Pilot>) -> u64 {
        let earlier = self.blocks.iter().take(self.earlier_blocks);
        let blocks_ms: u64 = earlier.map(|block| block.took_ms).sum();
        blocks_ms + self.partial_ms + pilot.map_or(0, |pilot| pilot.took_ms)
    }

    /// Time that the next block takes at least, in milliseconds, by those that are there or else by
    /// the pilot.
    pub(crate) fn next_ms(&self, pilot: &Pilot) -> u64 {
        let took = self.blocks.iter().map(|block| block.took_ms).min();
        took.or(pilot.block_ms).unwrap_or(0)
    }

    /// That measuring ends with the budget.
    ///
    /// # Errors
    ///
    /// When there are too few blocks for anything to be said.
    pub(super) fn budget_spent(
        &self,
        budget: &Budget,
        pilot: &Pilot,
        now_ms: u64,
    ) -> Result<Stop, LabError> {
        let (done, fewest) = (self.done(), self.experiment.design.min_blocks);
        if done >= fewest {
            return Ok(Stop::Budget);
        }
        let more_ms = u64::from(fewest - done) * self.next_ms(pilot);
        let stage = Stage::Blocks { done, fewest };
        Err(budget.refused(now_ms, Some(more_ms), stage))
    }

    /// Time spent on the experiment until now, in milliseconds: earlier sittings, and all of this
    /// one.
    pub(super) fn spent_ms(&self, pilot: &Pilot, now_ms: u64) -> u64 {
        let earlier = self.pilot.as_ref().map(|_| pilot);
        self.earlier_ms(earlier) + now_ms.saturating_sub(self.began_ms)
    }
}
