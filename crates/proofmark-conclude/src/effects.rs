//! From the rounds of blocks to one number a block.

use proofmark_evidence::record::{ArmRef, Block, Experiment, Pilot, Schedule, SliceCheck};
use proofmark_stats::{Margin, block_effect, ln_mean, widening_by_block};
use proofmark_terms::BuildIndex;

use crate::arms::{main_arm, paired, values};
use crate::error::ConcludeError;

/// The effects of one arm against another under one schedule, block by block.
///
/// # Errors
///
/// When a block has no round of both arms, or a value without a logarithm: the record is damaged.
pub fn effects(
    blocks: &[Block],
    new: ArmRef,
    base: ArmRef,
    schedule: Schedule,
) -> Result<Vec<f64>, ConcludeError> {
    blocks
        .iter()
        .map(|block| {
            let damaged = |why: &str| ConcludeError::Damaged {
                block: block.index,
                why: why.to_owned(),
            };
            let (new, base) = paired(block, [new, base], schedule)
                .ok_or_else(|| damaged("has no round of the arms that are compared"))?;
            block_effect(&new, &base).map_err(|error| damaged(&error.to_string()))
        })
        .collect()
}

/// What other ways of measuring made of an effect, less what the verdict's way made of it, block by
/// block.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Shifts {
    /// With shorter slices.
    pub short: Vec<f64>,
    /// With whole runs.
    pub whole: Vec<f64>,
    /// With each build beside a program that leaves its caches alone; empty where that was not
    /// measured.
    pub alone: Vec<f64>,
}

impl Shifts {
    /// The shifts of one arm against another.
    ///
    /// # Errors
    ///
    /// As [`effects`].
    pub(crate) fn of(
        blocks: &[Block],
        new: ArmRef,
        base: ArmRef,
        (schedule, check): (Schedule, SliceCheck),
    ) -> Result<Shifts, ConcludeError> {
        let own = effects(blocks, new, base, schedule)?;
        let against = |other: Schedule| -> Result<Vec<f64>, ConcludeError> {
            let other = effects(blocks, new, base, other)?;
            Ok(other.iter().zip(&own).map(|(a, b)| a - b).collect())
        };
        let alone = if check.alone_rounds > 0 {
            let [new, base] = [new, base].map(|arm| effects(blocks, arm, ArmRef::Idle, schedule));
            let alone = new?.into_iter().zip(base?).zip(&own);
            alone.map(|((new, base), own)| new - base - own).collect()
        } else {
            Vec::new()
        };
        Ok(Shifts {
            short: against(check.short())?,
            whole: against(Schedule::Interleaved)?,
            alone,
        })
    }

    /// The shifts of an arm's own level in one block, which is that on the scale of ln; empty for a
    /// way in which it did not run.
    pub(crate) fn of_level(
        block: &Block,
        arm: ArmRef,
        (schedule, check): (Schedule, SliceCheck),
        level: f64,
    ) -> Shifts {
        let shift = |values: &[f64]| -> Vec<f64> {
            let other = ln_mean(values);
            other.map(|other| other - level).into_iter().collect()
        };
        let alone = paired(block, [arm, ArmRef::Idle], schedule);
        Shifts {
            short: shift(&values(block, arm, check.short())),
            whole: shift(&values(block, arm, Schedule::Interleaved)),
            alone: alone.map_or_else(Vec::new, |(own, _)| shift(&own)),
        }
    }

    /// The shifts of an arm against itself in one block.
    pub(crate) fn none(check: SliceCheck) -> Shifts {
        Shifts {
            short: vec![0.0],
            whole: vec![0.0],
            alone: vec![0.0; usize::from(check.alone_rounds > 0)],
        }
    }

    /// The shifts of the mean of two effects, block by block.
    pub(crate) fn mean_with(&self, other: &Shifts) -> Shifts {
        let mean = |one: &[f64], other: &[f64]| {
            let pairs = one.iter().zip(other);
            pairs.map(|(one, other)| one.midpoint(*other)).collect()
        };
        Shifts {
            short: mean(&self.short, &other.short),
            whole: mean(&self.whole, &other.whole),
            alone: mean(&self.alone, &other.alone),
        }
    }

    /// What an interval is widened by after each block.
    pub(crate) fn widening(&self, margin: Margin) -> Vec<f64> {
        let watched = [&self.short, &self.alone].map(Vec::as_slice);
        widening_by_block(&watched, &self.whole, margin)
    }
}

/// What slices did to the effect of one build, block by block; `None` where whole runs are taken.
pub(crate) fn shifts(
    experiment: &Experiment,
    pilot: &Pilot,
    build: BuildIndex,
    blocks: &[Block],
) -> Result<Option<Shifts>, ConcludeError> {
    let Some(check) = pilot.check else {
        return Ok(None);
    };
    let (new, base) = (
        main_arm(experiment, build),
        main_arm(experiment, BuildIndex::BASE),
    );
    Shifts::of(blocks, new, base, (pilot.schedule, check)).map(Some)
}
