//! An experiment carried out: pilot, then block after block until a verdict, each stored before the
//! next begins.

use std::path::Path;

use proofmark_conclude::{
    Draws, RoundAt, Scheme, all_builds, arms_in, awaited, conclude, conclude_null, effects,
    main_arm, of_builds, rules, standings,
};
use proofmark_evidence::record::{
    ArmRef, Block, Experiment, Pilot, Question, Round, Schedule, Stop,
};
use proofmark_evidence::{ExperimentId, LockedStore};
use proofmark_stats::{Rule, Verdict};
use proofmark_terms::Layout;

use crate::LabError;
use crate::budget::{Budget, Stage};
use crate::doubt::doubts;
use crate::groups::{Group, groups};
use crate::observer::{Event, Observer};
use crate::pilot::{Allowance, pilot};
use crate::populations::disagreements;
use crate::rig::{Rig, RoundPlan};
use crate::taxed::taxed_ns;

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
    /// Time that blocks took which the budget ended in their midst, in milliseconds.
    pub partial_ms: u64,
    /// When this sitting began, in milliseconds since 1970-01-01 UTC: the budget runs from here.
    pub began_ms: u64,
}

/// What came of a block that was begun.
pub(crate) enum Measured {
    /// All of its rounds.
    Whole(Block),
    /// The budget was spent in its midst; it is kept, and never counted.
    Part(Block),
}

/// A block to be measured.
pub(crate) struct NextBlock<'a> {
    pub(crate) under_way: &'a UnderWay,
    pub(crate) pilot: &'a Pilot,
    /// The builds that take part.
    pub(crate) builds: &'a [u32],
    pub(crate) budget: &'a Budget,
}

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
    let began_ms = under_way.began_ms;
    let budget = under_way.budget();
    let builds = all_builds(&under_way.experiment);
    let allowance = Allowance::all(budget);
    let pilot = piloted(&under_way, &builds, &allowance, rig, store, observer)?;
    rig.company(pilot.company);
    tell_of_files(&under_way, &pilot, observer);
    if !under_way.blocks.is_empty() {
        observer.tell(&Event::Resumed {
            blocks: count(&under_way.blocks),
        });
    }
    let mut rules = rules(&under_way.experiment, &pilot, &under_way.blocks)?;
    let mut so_far = answer(&under_way, &pilot, &rules)?;
    let stop = loop {
        if let Some(stop) = stops(&under_way, so_far) {
            break stop;
        }
        if !budget.holds(rig.now_ms(), under_way.next_ms(&pilot)) {
            break under_way.budget_spent(&budget, &pilot, rig.now_ms())?;
        }
        let next = NextBlock {
            under_way: &under_way,
            pilot: &pilot,
            builds: &builds,
            budget: &budget,
        };
        let block = match measure(&next, rig)? {
            Measured::Whole(block) => block,
            Measured::Part(block) => {
                if !block.rounds.is_empty() {
                    store.partial_block(&under_way.id, &block)?;
                }
                break under_way.budget_spent(&budget, &pilot, rig.now_ms())?;
            }
        };
        store.block(&under_way.id, &block)?;
        under_way.blocks.push(block);
        rules = proofmark_conclude::rules(&under_way.experiment, &pilot, &under_way.blocks)?;
        so_far = answer(&under_way, &pilot, &rules)?;
        report(
            &under_way,
            &pilot,
            &rules,
            so_far,
            rig.now_ms().saturating_sub(began_ms),
            observer,
        )?;
    };
    let took_ms = spent_ms(&under_way, &pilot, rig);
    let UnderWay {
        id,
        experiment,
        blocks,
        ..
    } = &under_way;
    match experiment.question {
        Question::Compare => {
            let counted = rig.instructions(budget.end_ms());
            let mut conclusion = conclude(experiment, &pilot, blocks, &counted, stop, took_ms)?;
            conclusion.warnings.extend(rig.remarks());
            let doubts = doubts(
                experiment,
                &pilot,
                (0, &conclusion.comparisons),
                (None, &rig.printed()),
            );
            conclusion.warnings.extend(doubts);
            let disagreements = disagreements(store, experiment, &conclusion)?;
            conclusion.warnings.extend(disagreements);
            conclusion.code = rig.code();
            store.conclude(id, &conclusion)?;
        }
        Question::Null => {
            let mut conclusion = conclude_null(experiment, &pilot, blocks, stop, took_ms)?;
            conclusion.warnings.extend(rig.remarks());
            let doubts = doubts(experiment, &pilot, (0, &[]), (None, &rig.printed()));
            conclusion.warnings.extend(doubts);
            store.null_conclusion(id, &conclusion)?;
        }
    }
    Ok(())
}

/// Says once how many runs there will be in a folder in which they write.
fn tell_of_files(under_way: &UnderWay, pilot: &Pilot, observer: &mut dyn Observer) {
    let experiment = &under_way.experiment;
    let files = &experiment.inputs.written;
    let next = count(&under_way.blocks);
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

/// The pilot from the store, or a new one with some builds.
pub(crate) fn piloted(
    under_way: &UnderWay,
    builds: &[u32],
    allowance: &Allowance,
    rig: &mut dyn Rig,
    store: &mut LockedStore,
    observer: &mut dyn Observer,
) -> Result<Pilot, LabError> {
    if let Some(pilot) = &under_way.pilot {
        rig.pin(pilot.core.is_some());
        return Ok(pilot.clone());
    }
    let pilot = pilot(rig, &under_way.experiment, builds, allowance, observer)?;
    store.pilot(&under_way.id, &pilot)?;
    observer.tell(&Event::Piloted(&pilot));
    Ok(pilot)
}

/// Measures the block after those that are there, with some builds. Once the budget is spent no
/// round is begun.
pub(crate) fn measure(next: &NextBlock<'_>, rig: &mut dyn Rig) -> Result<Measured, LabError> {
    let &NextBlock {
        under_way,
        pilot,
        builds,
        budget,
    } = next;
    let experiment = &under_way.experiment;
    let index = count(&under_way.blocks);
    let began_ms = rig.now_ms();
    let draws = Draws::new(experiment.seed);
    let arms = of_builds(arms_in(experiment, pilot, index), builds);
    let images = rig.place(Some(index), &arms)?;
    let cpu_ns = arms
        .iter()
        .map(|arm| expected_cpu(experiment, pilot, *arm))
        .collect::<Vec<u64>>();
    let groups = groups(experiment, &Scheme::of(pilot), &arms);
    let all = Group {
        arms: (0..arms.len())
            .filter(|&place| arms[place] != ArmRef::Idle)
            .collect(),
        schedule: Schedule::Interleaved,
    };
    let warmup = std::iter::repeat_n(&all, experiment.benchmark.warmup as usize);
    let drawn = draws.sequence(Some(index), groups.len());
    let counted = drawn.iter().filter_map(|&place| groups.get(place));
    let mut rounds = Vec::new();
    let mut whole = true;
    for (round, group) in (0..).zip(warmup.chain(counted)) {
        if budget.is_spent(rig.now_ms()) {
            whole = false;
            break;
        }
        let at = RoundAt {
            block: Some(index),
            round,
        };
        let order = draws.order(at, &group.arms);
        let runs = rig.round(&RoundPlan {
            at,
            schedule: group.schedule,
            order: &order,
            cpu_ns: &cpu_ns,
            idle_loops: pilot.check.map_or(0, |check| check.idle_loops),
        })?;
        if round >= experiment.benchmark.warmup {
            rounds.push(Round {
                schedule: group.schedule,
                order: order
                    .into_iter()
                    .filter_map(|arm| u32::try_from(arm).ok())
                    .collect(),
                runs,
            });
        }
    }
    let block = Block {
        index,
        layout: if experiment.layouts.is_drawn() {
            Layout::Drawn {
                seed: draws.layout_seed(Some(index)),
            }
        } else {
            Layout::AsShipped
        },
        arms,
        images,
        machine: rig.machine(),
        rounds,
        began_ms,
        took_ms: rig.now_ms().saturating_sub(began_ms),
    };
    Ok(if whole {
        Measured::Whole(block)
    } else {
        Measured::Part(block)
    })
}

impl UnderWay {
    /// What may be spent in this sitting.
    pub(crate) fn budget(&self) -> Budget {
        let earlier_ms = self.earlier_ms(self.pilot.as_ref());
        Budget::new(&self.experiment.design, self.began_ms, earlier_ms)
    }

    /// Time that earlier sittings took, in milliseconds, with the pilot where it is theirs.
    pub(crate) fn earlier_ms(&self, pilot: Option<&Pilot>) -> u64 {
        let blocks = self.blocks.iter();
        let earlier = blocks.filter(|block| block.began_ms < self.began_ms);
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
    fn budget_spent(&self, budget: &Budget, pilot: &Pilot, now_ms: u64) -> Result<Stop, LabError> {
        let (done, fewest) = (count(&self.blocks), self.experiment.design.min_blocks);
        if done >= fewest {
            return Ok(Stop::Budget);
        }
        let more_ms = u64::from(fewest - done) * self.next_ms(pilot);
        let stage = Stage::Blocks { done, fewest };
        Err(budget.refused(now_ms, Some(more_ms), stage))
    }
}

/// What the pilot expects one run of an arm to take.
fn expected_cpu(experiment: &Experiment, pilot: &Pilot, arm: ArmRef) -> u64 {
    // A build that sat out the pilot has none.
    let of = |build: u32| pilot.cpu_ns.get(build as usize).map_or(1, |&ns| ns.max(1));
    match arm {
        ArmRef::Drawn { build } | ArmRef::AsShipped { build } => of(build),
        ArmRef::Taxed => taxed_ns(experiment, of(0)),
        // Its loops are chosen so.
        ArmRef::Idle => of(0),
    }
}

/// What the question has for an answer so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// Some comparison has no verdict.
    Open,
    /// Every one has, but one of no difference waits for what makes it worth something.
    Awaited,
    /// Every one has, and measuring may end.
    Given,
}

/// Whether, and why, measuring is over, the budget aside.
fn stops(under_way: &UnderWay, answer: Answer) -> Option<Stop> {
    let design = &under_way.experiment.design;
    let blocks = count(&under_way.blocks);
    if blocks < design.min_blocks {
        return None;
    }
    match (answer, design.precision) {
        (Answer::Given, Some(_)) => Some(Stop::Precise),
        (Answer::Given, None) => Some(Stop::Decided),
        _ if blocks >= design.max_blocks => Some(Stop::Blocks),
        _ => None,
    }
}

/// Whether every comparison has its verdict, and those of no difference what makes them worth
/// something.
fn answer(under_way: &UnderWay, pilot: &Pilot, rules: &[Rule]) -> Result<Answer, LabError> {
    let UnderWay {
        experiment, blocks, ..
    } = under_way;
    if experiment.question != Question::Compare || count(blocks) < experiment.design.min_blocks {
        return Ok(Answer::Open);
    }
    let base = main_arm(experiment, 0);
    let mut equivalent_after = None;
    for (build, rule) in (1_u32..).zip(rules) {
        let effects = effects(blocks, main_arm(experiment, build), base, pilot.schedule)?;
        let Some(look) = rule.look(&effects).filter(|look| look.stop) else {
            return Ok(Answer::Open);
        };
        if look.verdict == Verdict::Equivalent {
            let first = rule
                .replay(&effects)
                .and_then(|replay| replay.decided_after());
            equivalent_after = equivalent_after.max(first);
        }
    }
    Ok(match equivalent_after {
        Some(after)
            if experiment.design.precision.is_none()
                && awaited(experiment, pilot, rules, blocks, after)? =>
        {
            Answer::Awaited
        }
        _ => Answer::Given,
    })
}

/// Time spent on the experiment so far, in milliseconds: earlier sittings, and all of this one.
fn spent_ms(under_way: &UnderWay, pilot: &Pilot, rig: &mut dyn Rig) -> u64 {
    let earlier = under_way.pilot.as_ref().map(|_| pilot);
    under_way.earlier_ms(earlier) + rig.now_ms().saturating_sub(under_way.began_ms)
}

/// Tells where things stand after a block.
fn report(
    under_way: &UnderWay,
    pilot: &Pilot,
    rules: &[Rule],
    answer: Answer,
    elapsed_ms: u64,
    observer: &mut dyn Observer,
) -> Result<(), LabError> {
    let standings = standings(&under_way.experiment, pilot, rules, &under_way.blocks)?;
    observer.tell(&Event::Block {
        done: count(&under_way.blocks),
        max: under_way.experiment.design.max_blocks,
        elapsed_ms,
        standings: &standings,
        awaits_certificate: answer == Answer::Awaited,
    });
    Ok(())
}

/// The number of blocks.
fn count(blocks: &[Block]) -> u32 {
    u32::try_from(blocks.len()).unwrap_or(u32::MAX)
}
