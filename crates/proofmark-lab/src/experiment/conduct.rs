//! An experiment carried out: pilot, then block after block until a verdict, each stored before the
//! next begins.

use std::path::Path;

use proofmark_conclude::{Scheme, all_builds, arms_in, groups, rules, standings};
use proofmark_evidence::LockedStore;
use proofmark_evidence::record::{ArmRef, Block, Pilot, Stop};
use proofmark_stats::Rule;
use proofmark_terms::BuildIndex;

use super::answer::{Answer, answer, stops};
use super::conclude::concluded;
use super::measure::{Measured, NextBlock, measure};
use super::under_way::UnderWay;
use crate::error::LabError;
use crate::observer::{BlockStored, Event, Observer};
use crate::pilot::{Allowance, pilot};
use crate::rig::Rig;

/// Measures until a verdict, the most blocks or the end of the budget, and stores the conclusion.
///
/// # Errors
///
/// Whatever stops an experiment, a budget that does not hold the fewest blocks too. Blocks finished
/// before are in the store, and the same experiment can be taken up again.
pub fn conduct(
    mut under_way: UnderWay,
    rig: &mut dyn Rig,
    store: &mut LockedStore,
    observer: &mut dyn Observer,
) -> Result<(), LabError> {
    let builds = all_builds(&under_way.experiment);
    let allowance = Allowance::all(under_way.budget());
    let pilot = piloted(&under_way, None, &builds, &allowance, rig, store, observer)?;
    rig.company(pilot.company);
    tell_of_files(&under_way, &pilot, observer);
    tell_of_blocks(&under_way, observer);
    let stop = measured(&mut under_way, &pilot, rig, store, observer)?;
    concluded(&under_way, &pilot, stop, rig, store)
}

/// The pilot from the store, or a new one with some builds; `benchmark` is which one of several.
pub(crate) fn piloted(
    under_way: &UnderWay,
    benchmark: Option<&str>,
    builds: &[BuildIndex],
    allowance: &Allowance,
    rig: &mut dyn Rig,
    store: &mut LockedStore,
    observer: &mut dyn Observer,
) -> Result<Pilot, LabError> {
    if let Some(pilot) = &under_way.pilot {
        rig.pin(pilot.core.is_some());
        let printed = |block: &Block| block.printed.clone();
        if let Some(printed) = under_way.blocks.iter().rev().find_map(printed) {
            rig.recall(printed);
        }
        return Ok(pilot.clone());
    }
    let pilot = pilot(rig, &under_way.experiment, builds, allowance, observer)?;
    store.pilot(&under_way.id, &pilot)?;
    observer.tell(&Event::Piloted {
        benchmark,
        pilot: &pilot,
    });
    Ok(pilot)
}

/// Block after block, each stored, until there is no need or no room for another; says why it
/// stopped.
fn measured(
    under_way: &mut UnderWay,
    pilot: &Pilot,
    rig: &mut dyn Rig,
    store: &mut LockedStore,
    observer: &mut dyn Observer,
) -> Result<Stop, LabError> {
    let budget = under_way.budget();
    let builds = all_builds(&under_way.experiment);
    let mut so_far = SoFar::of(under_way, pilot)?;
    loop {
        if let Some(stop) = stops(under_way, so_far.answer) {
            return Ok(stop);
        }
        if !budget.holds(rig.now_ms(), under_way.next_ms(pilot)) {
            return under_way.budget_spent(&budget, pilot, rig.now_ms());
        }
        let next = NextBlock {
            under_way,
            pilot,
            builds: &builds,
            budget: &budget,
        };
        match measure(&next, rig)? {
            Measured::Whole(block) => {
                store.block(&under_way.id, &block)?;
                under_way.blocks.push(block);
            }
            Measured::Part(block) => {
                if !block.rounds.is_empty() {
                    store.partial_block(&under_way.id, &block)?;
                }
                return under_way.budget_spent(&budget, pilot, rig.now_ms());
            }
        }
        so_far = SoFar::of(under_way, pilot)?;
        let elapsed_ms = rig.now_ms().saturating_sub(under_way.began_ms);
        so_far.tell(under_way, pilot, elapsed_ms, observer)?;
    }
}

/// Where things stand after a block.
struct SoFar {
    rules: Vec<Rule>,
    answer: Answer,
}

impl SoFar {
    fn of(under_way: &UnderWay, pilot: &Pilot) -> Result<Self, LabError> {
        let rules = rules(&under_way.experiment, pilot, &under_way.blocks)?;
        let answer = answer(under_way, pilot, &rules)?;
        Ok(SoFar { rules, answer })
    }

    fn tell(
        &self,
        under_way: &UnderWay,
        pilot: &Pilot,
        elapsed_ms: u64,
        observer: &mut dyn Observer,
    ) -> Result<(), LabError> {
        let UnderWay {
            experiment, blocks, ..
        } = under_way;
        let standings = standings(experiment, pilot, &self.rules, blocks)?;
        observer.tell(&Event::Block(BlockStored {
            done: under_way.done(),
            max: experiment.design.max_blocks,
            elapsed_ms,
            standings: &standings,
            awaits_certificate: self.answer == Answer::Awaited,
        }));
        Ok(())
    }
}

/// Says once how many runs there will be in a folder in which they write.
fn tell_of_files(under_way: &UnderWay, pilot: &Pilot, observer: &mut dyn Observer) {
    let experiment = &under_way.experiment;
    let files = &experiment.inputs.written;
    let next = under_way.done();
    let arms = arms_in(experiment, pilot, next);
    let idle = |&arm: &usize| arms.get(arm) == Some(&ArmRef::Idle);
    let groups = groups(experiment, &Scheme::of(pilot), &arms);
    let measured = groups.iter().flat_map(|group| &group.arms);
    let measured = measured.filter(|arm| !idle(arm)).count() as u64;
    let warm = arms.iter().filter(|&&arm| arm != ArmRef::Idle).count() as u64;
    let a_block = measured + warm * u64::from(experiment.benchmark.warmup);
    let blocks = experiment.design.max_blocks.saturating_sub(next);
    if !files.is_empty() {
        observer.tell(&Event::Writes {
            folder: Path::new(experiment.benchmark.cwd.as_ref()),
            files,
            a_block,
            at_most: a_block * u64::from(blocks),
        });
    }
}

/// Says how many blocks earlier sittings left.
fn tell_of_blocks(under_way: &UnderWay, observer: &mut dyn Observer) {
    if !under_way.blocks.is_empty() {
        observer.tell(&Event::Resumed {
            blocks: under_way.done(),
        });
    }
}
