//! What the experiments of a bisection say, as its steps and its conclusion have it.

use proofmark_evidence::Recorded;
use proofmark_evidence::record::{
    BisectAnswer, Comparison, EffectFound, End, EndsFound, Neighbour, Relation, StepOutcome,
};
use proofmark_terms::{CommitId, Interval, Verdict};

use super::side::{Nearer, judge};
use crate::better;
use crate::error::ConcludeError;

/// What the ends say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndsSay {
    /// There is something to look for.
    Differ,
    /// There is not.
    Not(BisectAnswer),
}

/// The only comparison of an experiment of two builds.
///
/// # Errors
///
/// It has none.
pub fn only_comparison(recorded: &Recorded) -> Result<&Comparison, ConcludeError> {
    comparison(recorded, 0)
}

fn comparison(recorded: &Recorded, index: usize) -> Result<&Comparison, ConcludeError> {
    let conclusion = recorded.conclusion.as_ref();
    let comparison = conclusion.and_then(|one| one.comparisons.get(index));
    comparison.ok_or_else(|| {
        let id = recorded.id.short();
        ConcludeError::Design(format!("experiment {id} has no conclusion"))
    })
}

fn blocks(recorded: &Recorded) -> u32 {
    recorded.conclusion.as_ref().map_or(0, |one| one.blocks)
}

/// What the experiment of the ends says of them. `as_shipped`: what is looked for is the difference
/// of the builds as they were shipped.
///
/// # Errors
///
/// It has no conclusion, or was not measured as shipped.
pub fn of_ends(
    recorded: &Recorded,
    as_shipped: bool,
) -> Result<(EndsFound, EndsSay), ConcludeError> {
    let comparison = only_comparison(recorded)?;
    let shipped = comparison.as_shipped.as_ref().map(|one| one.interval);
    let (interval, verdict) = if as_shipped && recorded.experiment.layouts.is_drawn() {
        let interval = shipped.ok_or_else(|| {
            ConcludeError::Design("the ends were not measured as shipped".to_owned())
        })?;
        (interval, said(recorded, &interval))
    } else {
        (comparison.interval, comparison.verdict)
    };
    let by_shipped = || {
        let verdict = shipped.map(|interval| said(recorded, &interval));
        !as_shipped && verdict.is_some_and(differs)
    };
    let say = match verdict {
        verdict if differs(verdict) => EndsSay::Differ,
        Verdict::Undecided => EndsSay::Not(BisectAnswer::Undecided),
        _ if by_shipped() => EndsSay::Not(BisectAnswer::Placement),
        Verdict::Equivalent => EndsSay::Not(BisectAnswer::NoDifference),
        _ => EndsSay::Not(BisectAnswer::Negligible),
    };
    let found = EndsFound {
        experiment: recorded.id.clone(),
        interval,
        as_shipped: if as_shipped { None } else { shipped },
        blocks: blocks(recorded),
    };
    Ok((found, say))
}

/// What an interval says at an experiment's margin.
fn said(recorded: &Recorded, interval: &Interval) -> Verdict {
    let experiment = &recorded.experiment;
    let better = better(&experiment.benchmark.metric);
    Verdict::of(interval, experiment.design.margin, better)
}

fn differs(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Faster | Verdict::Slower)
}

/// What an experiment says that held a commit against its parent.
///
/// # Errors
///
/// It has no conclusion.
pub fn effect_of(recorded: &Recorded, parent: CommitId) -> Result<EffectFound, ConcludeError> {
    let comparison = only_comparison(recorded)?;
    Ok(EffectFound {
        experiment: recorded.id.clone(),
        parent,
        interval: comparison.interval,
        as_shipped: comparison.as_shipped.as_ref().map(|one| one.interval),
        blocks: blocks(recorded),
    })
}

/// What was measured of the ends, of two commits that are the same two programs.
#[must_use]
pub fn effect_of_ends(parent: CommitId, found: &EndsFound) -> EffectFound {
    EffectFound {
        experiment: found.experiment.clone(),
        parent,
        interval: found.interval,
        as_shipped: found.as_shipped,
        blocks: found.blocks,
    }
}

/// The step of a commit that was measured beside both ends. `sign` as for [`judge`].
///
/// # Errors
///
/// As [`judge`]; there are too few blocks.
pub fn measured(recorded: &Recorded, level: f64, sign: f64) -> Result<StepOutcome, ConcludeError> {
    let wrong = |what: &str| {
        let id = recorded.id.short();
        ConcludeError::Design(format!("experiment {id} has {what}"))
    };
    let pilot = recorded.pilot.as_ref().ok_or_else(|| wrong("no pilot"))?;
    let judged = judge(&recorded.experiment, pilot, &recorded.blocks, sign)?;
    let judged = judged.ok_or_else(|| wrong("too few blocks"))?;
    Ok(StepOutcome::Measured {
        experiment: recorded.id.clone(),
        level,
        like: judged.nearer.map(|nearer| match nearer {
            Nearer::Older => End::Older,
            Nearer::Newer => End::Newer,
        }),
        between: judged.between,
        middle: judged.middle,
        by_older: judged.older,
        by_newer: judged.newer,
        blocks: judged.blocks,
    })
}

/// The step of a commit that was measured beside these neighbours; where both are one program, that
/// is one build.
///
/// # Errors
///
/// The experiment has no conclusion.
pub fn beside(
    recorded: &Recorded,
    level: f64,
    [older, newer]: [CommitId; 2],
) -> Result<StepOutcome, ConcludeError> {
    let last = recorded.experiment.builds.len().saturating_sub(2);
    Ok(StepOutcome::Beside {
        experiment: recorded.id.clone(),
        level,
        older: neighbour(comparison(recorded, 0)?, older),
        newer: neighbour(comparison(recorded, last)?, newer),
        blocks: blocks(recorded),
    })
}

/// What a comparison whose base is the commit says of a neighbour.
fn neighbour(comparison: &Comparison, id: CommitId) -> Neighbour {
    Neighbour {
        id,
        interval: comparison.interval.inverted(),
        relation: match comparison.verdict {
            Verdict::Faster | Verdict::Slower => Relation::Differs,
            Verdict::Undecided => Relation::Unclear,
            _ => Relation::Alike,
        },
    }
}

/// The code that asks for a commit to be skipped.
const SKIP: i32 = 125;

/// The end that a script says a commit is like, by its exit code: the outer `None` where the code
/// says nothing, the inner one where it says to skip the commit.
#[must_use]
pub fn exited_like(code: i32) -> Option<Option<End>> {
    match code {
        0 => Some(Some(End::Older)),
        SKIP => Some(None),
        1..SKIP => Some(Some(End::Newer)),
        _ => None,
    }
}
