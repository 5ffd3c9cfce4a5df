//! An experiment carried out: pilot, then block after block until a verdict, each stored before the next begins.

use proofmark_evidence::record::{
    ArmRef, Block, Experiment, Pilot, Question, Round, Schedule, Stop,
};
use proofmark_evidence::{ExperimentId, Store};
use proofmark_stats::{Rule, Verdict};

use crate::LabError;
use crate::arms::{all_builds, main_arm, of_builds};
use crate::certificate::{arms_in, awaited, taxed_ns};
use crate::conclude::{conclude, rules, standings};
use crate::doubt::doubts;
use crate::draws::{Draws, RoundAt};
use crate::effects::effects;
use crate::groups::{Group, Way, groups};
use crate::null::conclude_null;
use crate::observer::{Event, Observer};
use crate::pilot::pilot;
use crate::populations::disagreements;
use crate::rig::{Rig, RoundPlan};

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
}

/// Measures until a verdict, the most blocks or the end of the budget, and stores the conclusion.
///
/// # Errors
///
/// Whatever stops an experiment. Blocks finished before are in the store, and the same experiment can be taken up again.
pub fn conduct(
    mut under_way: UnderWay,
    rig: &mut dyn Rig,
    store: &mut Store,
    observer: &mut dyn Observer,
) -> Result<(), LabError> {
    let began_ms = rig.now_ms();
    let builds = all_builds(&under_way.experiment);
    let pilot = piloted(&under_way, &builds, rig, store, observer)?;
    if !under_way.blocks.is_empty() {
        observer.tell(&Event::Resumed {
            blocks: count(&under_way.blocks),
        });
    }
    let mut rules = rules(&under_way.experiment, &pilot, &under_way.blocks)?;
    let mut so_far = answer(&under_way, &pilot, &rules)?;
    let stop = loop {
        let spent_ms = spent_ms(&under_way, rig, began_ms);
        if let Some(stop) = stops(&under_way, so_far, spent_ms) {
            break stop;
        }
        let block = measure(&under_way, &pilot, &builds, rig)?;
        store.block(&under_way.id, &block)?;
        under_way.blocks.push(block);
        rules = crate::rules(&under_way.experiment, &pilot, &under_way.blocks)?;
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
    let took_ms = spent_ms(&under_way, rig, began_ms);
    let UnderWay {
        id,
        experiment,
        blocks,
        ..
    } = &under_way;
    match experiment.question {
        Question::Compare => {
            let counted = rig.instructions();
            let mut conclusion = conclude(experiment, &pilot, blocks, &counted, stop, took_ms)?;
            conclusion.warnings.extend(rig.remarks());
            let doubts = doubts(experiment, &pilot, &conclusion.comparisons, &rig.printed());
            conclusion.warnings.extend(doubts);
            let disagreements = disagreements(store, experiment, &conclusion)?;
            conclusion.warnings.extend(disagreements);
            conclusion.code = rig.code();
            store.conclude(id, &conclusion)?;
        }
        Question::Null => {
            let mut conclusion = conclude_null(experiment, &pilot, blocks, stop, took_ms)?;
            conclusion.warnings.extend(rig.remarks());
            store.null_conclusion(id, &conclusion)?;
        }
    }
    Ok(())
}

/// The pilot from the store, or a new one with some builds.
pub(crate) fn piloted(
    under_way: &UnderWay,
    builds: &[u32],
    rig: &mut dyn Rig,
    store: &mut Store,
    observer: &mut dyn Observer,
) -> Result<Pilot, LabError> {
    if let Some(pilot) = &under_way.pilot {
        rig.pin(pilot.core.is_some());
        return Ok(pilot.clone());
    }
    let pilot = pilot(rig, &under_way.experiment, builds, observer)?;
    store.pilot(&under_way.id, &pilot)?;
    observer.tell(&Event::Piloted(&pilot));
    Ok(pilot)
}

/// Measures the block after those that are there, with some builds.
pub(crate) fn measure(
    under_way: &UnderWay,
    pilot: &Pilot,
    builds: &[u32],
    rig: &mut dyn Rig,
) -> Result<Block, LabError> {
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
    let groups = groups(experiment, &Way::of(pilot), &arms);
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
    for (round, group) in (0..).zip(warmup.chain(counted)) {
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
    Ok(Block {
        index,
        layout_seed: draws.layout_seed(Some(index)),
        arms,
        images,
        rounds,
        began_ms,
        took_ms: rig.now_ms().saturating_sub(began_ms),
    })
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

/// Whether, and why, measuring is over.
fn stops(under_way: &UnderWay, answer: Answer, spent_ms: u64) -> Option<Stop> {
    let design = &under_way.experiment.design;
    let blocks = count(&under_way.blocks);
    if blocks < design.min_blocks {
        return None;
    }
    let budget_spent = design.budget_ms.is_some_and(|budget| spent_ms >= budget);
    match (answer, design.precision) {
        (Answer::Given, Some(_)) => Some(Stop::Precise),
        (Answer::Given, None) => Some(Stop::Decided),
        _ if blocks >= design.max_blocks => Some(Stop::Blocks),
        _ if budget_spent => Some(Stop::Budget),
        _ => None,
    }
}

/// Whether every comparison has its verdict, and those of no difference what makes them worth something.
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

/// Time spent on the experiment so far: the blocks of earlier sittings, and all of this one.
fn spent_ms(under_way: &UnderWay, rig: &mut dyn Rig, began_ms: u64) -> u64 {
    let earlier: u64 = under_way
        .blocks
        .iter()
        .filter(|block| block.began_ms < began_ms)
        .map(|block| block.took_ms)
        .sum();
    earlier + rig.now_ms().saturating_sub(began_ms)
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
