//! Two experiments of one question, as two machines measured it, held against each other.

use proofmark_evidence::Recorded;
use proofmark_evidence::record::{ArmRef, Block, Comparison};
use proofmark_stats::{Agreement, Measured, difference, spread};
use proofmark_terms::{BuildIndex, Interval, Verdict};

use crate::arms::main_arm;
use crate::conclude::rules;
use crate::effects::effects;
use crate::error::ConcludeError;
use crate::rule::looks;
use crate::withheld::is_withheld;

/// One build against the base, on both machines.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreed {
    /// Index of the build.
    pub build: BuildIndex,
    /// new ÷ base as it was recorded first.
    pub first: Interval,
    /// What that said; undecided where its verdict was withheld.
    pub first_verdict: Verdict,
    /// new ÷ base as it was measured again.
    pub other: Interval,
    /// What that says.
    pub other_verdict: Verdict,
    /// Other ÷ first.
    pub difference: Interval,
    /// What the difference says, given the margin of the first experiment.
    pub agreement: Agreement,
}

/// One side of it: what it came to, and what it says.
type Side = (Measured, Interval, Verdict, bool);

/// Whether the images of the first experiment as shipped are what another one is held against: it
/// was measured over layouts, and the other one had no layouts to draw.
#[must_use]
pub fn is_of_shipped(first: &Recorded, other: &Recorded) -> bool {
    first.experiment.layouts.is_drawn() && !other.experiment.layouts.is_drawn()
}

/// Whether runs printed something else in one experiment than in the other, as far as it is known:
/// what they did may be other work.
#[must_use]
pub fn prints_otherwise(first: &Recorded, other: &Recorded) -> bool {
    let printed = |recorded: &Recorded| recorded.blocks.first()?.printed.clone();
    match (printed(first), printed(other)) {
        (Some(one), Some(two)) => one != two,
        _ => false,
    }
}

/// Whether an experiment that was measured again agrees with the first one, build by build. Where
/// it was measured as shipped and the first one over layouts, it is held against the figure that
/// the first one has for its images as shipped. Nothing is said where their runs print different
/// things.
///
/// # Errors
///
/// When one of them has no conclusion, or they are not about as many builds.
pub fn agreements(first: &Recorded, other: &Recorded) -> Result<Vec<Agreed>, ConcludeError> {
    let concluded = |recorded: &Recorded| {
        let conclusion = recorded.conclusion.clone();
        conclusion.ok_or_else(|| {
            ConcludeError::Design(format!("{} has no conclusion to compare", recorded.id))
        })
    };
    let (one, two) = (concluded(first)?, concluded(other)?);
    let pairs = pairs(first, &one.comparisons, other, &two.comparisons)?;
    let of_shipped = is_of_shipped(first, other);
    let same_work = !prints_otherwise(first, other);
    let margin = first.experiment.design.margin;
    pairs
        .into_iter()
        .map(|(mine, theirs)| {
            let side = match of_shipped {
                true => shipped(first, mine.build)?,
                false => drawn(first, mine)?,
            };
            let (measured, first_interval, first_verdict, is_first_told) = side;
            let (again, interval, verdict, is_told) = drawn(other, theirs)?;
            let apart = difference(&measured, &again).ok_or_else(|| {
                ConcludeError::Design("too few blocks to tell them apart".to_owned())
            })?;
            Ok(Agreed {
                build: mine.build,
                first: first_interval,
                first_verdict,
                other: interval,
                other_verdict: verdict,
                difference: apart,
                agreement: match is_first_told && is_told && same_work {
                    true => Agreement::of(&apart, margin),
                    false => Agreement::Undecided,
                },
            })
        })
        .collect()
}

/// The comparisons of one experiment beside those of the same builds in the other one: builds that
/// left a matrix have none, and have other places there.
fn pairs<'a>(
    first: &'a Recorded,
    mine: &'a [Comparison],
    other: &'a Recorded,
    theirs: &'a [Comparison],
) -> Result<Vec<(&'a Comparison, &'a Comparison)>, ConcludeError> {
    let name = |recorded: &'a Recorded, one: &Comparison| -> Option<&'a str> {
        let build = one.build.of(&recorded.experiment.builds)?;
        Some(build.name.as_str())
    };
    let counterpart = |one: &'a Comparison| {
        let mut theirs = theirs.iter();
        let found = theirs.find(|two| name(other, two) == name(first, one));
        Some((one, found?))
    };
    let found: Vec<_> = mine.iter().filter_map(counterpart).collect();
    if found.len() == mine.len() && found.len() == theirs.len() && !found.is_empty() {
        return Ok(found);
    }
    Err(ConcludeError::Design(format!(
        "{} is about {} comparisons, and {} about {}, not all of the same builds",
        first.id,
        mine.len(),
        other.id,
        theirs.len()
    )))
}

/// α′ of an experiment's looks.
fn nominal_alpha(recorded: &Recorded) -> Result<f64, ConcludeError> {
    let comparisons = recorded.experiment.builds.len().saturating_sub(1);
    let comparisons = u32::try_from(comparisons).unwrap_or(u32::MAX);
    Ok(looks(&recorded.experiment.design, comparisons)?.nominal_alpha())
}

/// What the verdict of a comparison rests on. A build that leaves a matrix early has fewer blocks
/// than the experiment.
fn drawn(recorded: &Recorded, comparison: &Comparison) -> Result<Side, ConcludeError> {
    let experiment = &recorded.experiment;
    let arms = [comparison.build, BuildIndex::BASE].map(|build| main_arm(experiment, build));
    let both = |block: &&Block| arms.iter().all(|arm| block.arms.contains(arm));
    let blocks = recorded.blocks.iter().filter(both).count();
    let measured = Measured {
        mean: comparison.interval.estimate.ln(),
        spread: comparison.spread,
        blocks: u32::try_from(blocks).unwrap_or(u32::MAX),
        widening: comparison.widening,
        nominal_alpha: nominal_alpha(recorded)?,
    };
    let is_told = !is_withheld(comparison);
    let verdict = match is_told {
        true => comparison.verdict,
        false => Verdict::Undecided,
    };
    Ok((measured, comparison.interval, verdict, is_told))
}

/// What the images as shipped came to, beside the drawn ones in the same blocks.
fn shipped(recorded: &Recorded, build: BuildIndex) -> Result<Side, ConcludeError> {
    let (experiment, blocks) = (&recorded.experiment, &recorded.blocks);
    let none = || {
        ConcludeError::Design(format!(
            "{} has no figure for images as shipped",
            recorded.id
        ))
    };
    let pilot = recorded.pilot.as_ref().ok_or_else(none)?;
    let base = ArmRef::AsShipped {
        build: BuildIndex::BASE,
    };
    let effects = effects(blocks, ArmRef::AsShipped { build }, base, pilot.schedule)?;
    let rules = rules(experiment, pilot, blocks)?;
    let at = build.place().checked_sub(1).ok_or_else(none)?;
    let rule = rules.get(at).ok_or_else(none)?;
    let look = rule.look(&effects).ok_or_else(none)?;
    let measured = Measured {
        mean: look.interval.estimate.ln(),
        spread: spread(&effects).ok_or_else(none)?,
        blocks: u32::try_from(effects.len()).unwrap_or(u32::MAX),
        widening: rule.widening_after(effects.len()),
        nominal_alpha: nominal_alpha(recorded)?,
    };
    Ok((measured, look.interval, look.verdict, true))
}
