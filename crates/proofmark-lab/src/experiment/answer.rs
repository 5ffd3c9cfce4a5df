//! Whether what was asked is answered, and so whether measuring is over.

use proofmark_conclude::bisect::is_placed;
use proofmark_conclude::{awaited, effects, main_arm};
use proofmark_evidence::record::{Pilot, Question, Stop};
use proofmark_stats::{Rule, Verdict};
use proofmark_terms::BuildIndex;

use super::under_way::UnderWay;
use crate::error::LabError;

/// What the question has for an answer so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Some comparison has no verdict.
    Open,
    /// Every one has, but one of no difference waits for what makes it worth something.
    Awaited,
    /// Every one has, and measuring may end.
    Given,
}

/// Whether, and why, measuring is over, the budget aside.
pub(super) fn stops(under_way: &UnderWay, answer: Answer) -> Option<Stop> {
    let design = &under_way.experiment.design;
    let blocks = under_way.done();
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
pub(super) fn answer(
    under_way: &UnderWay,
    pilot: &Pilot,
    rules: &[Rule],
) -> Result<Answer, LabError> {
    let UnderWay {
        experiment, blocks, ..
    } = under_way;
    if under_way.done() < experiment.design.min_blocks {
        return Ok(Answer::Open);
    }
    match experiment.question {
        Question::Compare => {}
        Question::Null => return Ok(Answer::Open),
        Question::Between => {
            return Ok(match is_placed(experiment, pilot, blocks)? {
                true => Answer::Given,
                false => Answer::Open,
            });
        }
    }
    let base = main_arm(experiment, BuildIndex::BASE);
    let mut equivalent_after = None;
    for (build, rule) in (1..).map(BuildIndex).zip(rules) {
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
