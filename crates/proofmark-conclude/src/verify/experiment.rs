//! A comparison, and a null test, computed again.

use proofmark_evidence::record::{
    Block, Comparison, Conclusion, DrawnWork, Experiment, Instructions, NullConclusion, Pilot,
    Question, Stop,
};
use proofmark_evidence::{ChainSort, Recorded, StoreError};
use proofmark_terms::BuildIndex;

use super::found::{AsRecorded, Finding, VerifiedChain};
use super::numbers::{compared, recomputable};
use super::plausible::implausible;
use crate::arms::main_arm;
use crate::bisect::is_placed;
use crate::conclude::{rules, work_change};
use crate::drawn::{in_question, judge_drawn};
use crate::effects::effects;
use crate::withheld::is_withheld;
use crate::{ConcludeError, conclude, conclude_null};

/// An experiment; `of_matrix` is what was found of it where it is one of a matrix.
pub(super) fn verified(
    recorded: &Recorded,
    of_matrix: Option<Finding>,
) -> Result<VerifiedChain, StoreError> {
    let names = recorded.experiment.builds.iter();
    let names: Vec<&str> = names.map(|build| build.name.as_str()).collect();
    let question = match recorded.experiment.question {
        Question::Null => "null test of ",
        Question::Compare | Question::Between => "",
    };
    Ok(VerifiedChain {
        id: recorded.id.as_str().to_owned(),
        sort: ChainSort::Experiment,
        about: format!("{question}{}", names.join(", ")),
        blocks: u32::try_from(recorded.blocks.len()).unwrap_or(u32::MAX),
        runs: recorded.blocks.iter().map(runs).sum(),
        finding: of_matrix.unwrap_or_else(|| finding(recorded)),
        implausible: implausible(recorded),
        as_recorded: AsRecorded::default(),
    })
}

/// Runs of a block.
pub(super) fn runs(block: &Block) -> u64 {
    let rounds = block.rounds.iter();
    rounds.map(|round| round.runs.len() as u64).sum()
}

fn finding(recorded: &Recorded) -> Finding {
    let Recorded {
        conclusion,
        null_conclusion,
        pilot,
        ..
    } = recorded;
    let again = match (conclusion, null_conclusion, pilot) {
        (None, None, _) => return Finding::NothingClaimed,
        (_, _, None) => {
            return Finding::NotConcluded {
                why: "it has a conclusion and no pilot".to_owned(),
            };
        }
        (Some(claimed), _, Some(pilot)) => {
            comparison(recorded, pilot, claimed).map(|found| compared(claimed, &found))
        }
        (None, Some(claimed), Some(pilot)) => {
            null(recorded, pilot, claimed).map(|found| compared(claimed, &found))
        }
    };
    again.unwrap_or_else(|error| Finding::NotConcluded {
        why: error.to_string(),
    })
}

/// The conclusion that the samples give. What was seen beside them (machine code, counts, what a
/// run printed) is taken over, but what follows from the counts.
fn comparison(
    recorded: &Recorded,
    pilot: &Pilot,
    claimed: &Conclusion,
) -> Result<Conclusion, ConcludeError> {
    let (experiment, blocks) = (&recorded.experiment, &recorded.blocks);
    let mut found = conclude(
        experiment,
        pilot,
        blocks,
        &[],
        claimed.stop,
        claimed.took_ms,
    )?;
    found.code.clone_from(&claimed.code);
    let asked = in_question(experiment, pilot, blocks, &found);
    let drawn = claimed.comparisons.iter().zip(asked).map(|(one, asked)| {
        let unknown = || DrawnWork::Unknown {
            why: "nothing is recorded of it".to_owned(),
        };
        one.drawn.clone().or_else(|| asked.is_asked().then(unknown))
    });
    judge_drawn(experiment, pilot, blocks, &mut found, drawn.collect());
    found.warnings = recomputable(&claimed.warnings, &found.warnings);
    for (found, claimed) in found.comparisons.iter_mut().zip(&claimed.comparisons) {
        found.instructions = counted(&claimed.instructions);
    }
    let asked = &experiment.design.asked;
    let is_open = |one: &Comparison| asked.iter().any(|ratio| one.interval.holds(*ratio));
    let is_decided =
        |one: &Comparison| (one.verdict.is_decided() && !is_open(one)) || is_withheld(one);
    let answered = match experiment.question {
        // Of a commit that is like one of the ends it is mostly not decided how it compares.
        Question::Between => is_placed(experiment, pilot, blocks)?,
        Question::Compare | Question::Null => found.comparisons.iter().all(is_decided),
    };
    let is_reached = match found.stop {
        Stop::Decided => answered,
        Stop::Precise => is_precise(experiment, pilot, blocks)?,
        Stop::Blocks | Stop::Budget => true,
    };
    if !is_reached {
        found.stop = Stop::Blocks;
    }
    Ok(found)
}

/// Whether all intervals are as narrow as was asked.
fn is_precise(
    experiment: &Experiment,
    pilot: &Pilot,
    blocks: &[Block],
) -> Result<bool, ConcludeError> {
    if experiment.design.precision.is_none() {
        return Ok(false);
    }
    let base = main_arm(experiment, BuildIndex::BASE);
    for (build, rule) in (1..).map(BuildIndex).zip(rules(experiment, pilot, blocks)?) {
        let effects = effects(blocks, main_arm(experiment, build), base, pilot.schedule)?;
        if !rule.look(&effects).is_some_and(|look| look.stop) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Counts as claimed, and what follows from them.
fn counted(claimed: &Instructions) -> Instructions {
    let mut found = claimed.clone();
    if let Instructions::Counted {
        base,
        new,
        varies,
        work,
        ..
    } = &mut found
    {
        *work = work_change([*base, *new], *varies);
    }
    found
}

fn null(
    recorded: &Recorded,
    pilot: &Pilot,
    claimed: &NullConclusion,
) -> Result<NullConclusion, ConcludeError> {
    let (experiment, blocks) = (&recorded.experiment, &recorded.blocks);
    let mut found = conclude_null(experiment, pilot, blocks, claimed.stop, claimed.took_ms)?;
    found.warnings = recomputable(&claimed.warnings, &found.warnings);
    Ok(found)
}
