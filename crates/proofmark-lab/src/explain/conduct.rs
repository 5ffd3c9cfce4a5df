//! Block after block of sampled runs, each stored before the next begins.

use proofmark_conclude::{Draws, RoundAt, explain};
use proofmark_evidence::record::{
    ArmRef, Explanation, ExplanationBlock, SampledLayouts, SampledRuns,
};
use proofmark_evidence::{ExplanationId, LockedStore, Recorded};
use proofmark_measure::Interrupt;
use proofmark_measure::sample::Profile;
use proofmark_terms::BuildIndex;

use super::sampled::{Unsampled, added, run};
use crate::bench::Bench;
use crate::budget::Budget;
use crate::clock::now_ms;
use crate::error::LabError;
use crate::observer::{Event, Observer};
use crate::rig::Rig as _;

/// Blocks without which nothing is said of where.
pub(super) const FEWEST: u32 = 4;

/// An explanation under way.
pub(super) struct ExplanationUnderWay<'a> {
    pub(super) id: ExplanationId,
    pub(super) explanation: Explanation,
    pub(super) blocks: Vec<ExplanationBlock>,
    pub(super) comparison: &'a Recorded,
    pub(super) budget: Budget,
    pub(super) stop: Interrupt,
}

/// The two arms of a block.
pub(super) fn arms(layouts: &SampledLayouts, build: BuildIndex) -> [ArmRef; 2] {
    match layouts {
        SampledLayouts::Drawn => [BuildIndex::BASE, build].map(|build| ArmRef::Drawn { build }),
        SampledLayouts::AsShipped { .. } => as_shipped(build),
    }
}

/// Both builds as their linkers put them.
pub(super) fn as_shipped(build: BuildIndex) -> [ArmRef; 2] {
    [BuildIndex::BASE, build].map(|build| ArmRef::AsShipped { build })
}

/// Samples to the end and stores the conclusion.
pub(super) fn conduct(
    mut under_way: ExplanationUnderWay<'_>,
    bench: &mut Bench,
    store: &mut LockedStore,
    observer: &mut dyn Observer,
) -> Result<(), LabError> {
    let began_ms = now_ms();
    let planned = under_way.planned();
    while under_way.blocks.len() < planned as usize {
        let last = under_way.blocks.iter().rev().take(4);
        let longest_ms = last.map(|block| block.took_ms).max().unwrap_or(0);
        let done = u32::try_from(under_way.blocks.len()).unwrap_or(u32::MAX);
        if done >= FEWEST && !under_way.budget.holds(now_ms(), longest_ms) {
            break;
        }
        let block = under_way.measure(done, bench)?;
        store.explanation_block(&under_way.id, &block)?;
        under_way.blocks.push(block);
        observer.tell(&Event::ExplanationBlock {
            done: done + 1,
            planned,
            elapsed_ms: now_ms().saturating_sub(began_ms),
        });
    }
    let conclusion = explain::conclude(
        under_way.comparison,
        &under_way.explanation,
        &under_way.blocks,
    )?;
    store.conclude_explanation(&under_way.id, &conclusion)?;
    Ok(())
}

impl ExplanationUnderWay<'_> {
    /// How many blocks there will be.
    fn planned(&self) -> u32 {
        match self.explanation.unsampled {
            Some(_) => 0,
            None => self.explanation.design.blocks.max(FEWEST),
        }
    }

    /// Whether the images as shipped are sampled beside those of drawn layouts.
    fn also_as_shipped(&self) -> bool {
        self.explanation.layouts == SampledLayouts::Drawn
            && explain::is_by_place(self.comparison, self.explanation.build)
    }

    /// One block: fresh copies of both images, and runs of them in turn.
    fn measure(&self, index: u32, bench: &mut Bench) -> Result<ExplanationBlock, LabError> {
        let began_ms = now_ms();
        let explanation = &self.explanation;
        let mut all = arms(&explanation.layouts, explanation.build).to_vec();
        if self.also_as_shipped() {
            all.extend(as_shipped(explanation.build));
        }
        let placed = bench.place(Some(index), &all)?;
        let images = placed.first_chunk::<2>().cloned();
        let images = images
            .ok_or_else(|| LabError::Fault("a block of two arms has not two images".to_owned()))?;
        let mut runs = self.sampled(index, all.len(), bench)?.into_iter();
        let mut next = || {
            let run = runs.next();
            run.ok_or_else(|| LabError::Fault("an arm was not sampled".to_owned()))
        };
        let (base, new) = (next()?, next()?);
        let shipped = if all.len() > 2 {
            Some(Box::new([next()?, next()?]))
        } else {
            None
        };
        Ok(ExplanationBlock {
            index,
            images,
            base,
            new,
            shipped,
            began_ms,
            took_ms: now_ms().saturating_sub(began_ms),
        })
    }

    /// Sampled runs of so many placed arms, in an order that is drawn for each round.
    fn sampled(
        &self,
        index: u32,
        count: usize,
        bench: &mut Bench,
    ) -> Result<Vec<SampledRuns>, LabError> {
        let experiment = &self.comparison.experiment;
        let draws = Draws::new(experiment.seed);
        let how = (experiment.benchmark.ignore_exit, &self.stop);
        let every: Vec<usize> = (0..count).collect();
        let mut profiles: Vec<Vec<Profile>> = vec![Vec::new(); count];
        for round in 0..self.explanation.runs {
            let at = RoundAt {
                block: Some(index),
                round,
            };
            for arm in draws.order(at, &every) {
                profiles[arm].push(run(bench, arm, how).map_err(stopped)?);
            }
        }
        let mut all = Vec::new();
        for (arm, profiles) in profiles.iter().enumerate() {
            let file = bench.launch_sampled(arm)?.file;
            // The first two may be in drawn layouts.
            let is_drawn = arm < 2 && self.explanation.layouts == SampledLayouts::Drawn;
            all.push(added(profiles, (&file, is_drawn))?);
        }
        Ok(all)
    }
}

/// What was possible before fails now.
fn stopped(why: Unsampled) -> LabError {
    match why {
        Unsampled::Stopped(error) => error,
        Unsampled::Unavailable(why) => LabError::Refused(format!(
            "a run could not be sampled, and others before it could: {why}\n  next: the same \
             command goes on from there"
        )),
    }
}
