//! Two experiments of one question, as two machines measured it, held against each other.

use proofmark_evidence::Recorded;
use proofmark_evidence::record::Comparison;
use proofmark_stats::{Agreement, Measured, difference};
use proofmark_terms::{BuildIndex, Interval, Verdict};

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

/// Whether an experiment that was measured again agrees with the first one, build by build.
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
    if one.comparisons.len() != two.comparisons.len() {
        return Err(ConcludeError::Design(format!(
            "{} is about {} comparisons, and {} about {}",
            first.id,
            one.comparisons.len(),
            other.id,
            two.comparisons.len()
        )));
    }
    let of = |recorded: &Recorded, blocks: u32, comparison: &Comparison| {
        let comparisons = recorded.experiment.builds.len().saturating_sub(1);
        let comparisons = u32::try_from(comparisons).unwrap_or(u32::MAX);
        let looks = looks(&recorded.experiment.design, comparisons)?;
        Ok::<_, ConcludeError>(Measured {
            mean: comparison.interval.estimate.ln(),
            spread: comparison.spread,
            blocks,
            widening: comparison.widening,
            nominal_alpha: looks.nominal_alpha(),
        })
    };
    let pairs = one.comparisons.iter().zip(&two.comparisons);
    let margin = first.experiment.design.margin;
    pairs
        .map(|(mine, theirs)| {
            let measured = of(first, one.blocks, mine)?;
            let again = of(other, two.blocks, theirs)?;
            let apart = difference(&measured, &again).ok_or_else(|| {
                ConcludeError::Design("too few blocks to tell them apart".to_owned())
            })?;
            let said = |comparison: &Comparison| match is_withheld(comparison) {
                true => Verdict::Undecided,
                false => comparison.verdict,
            };
            let told = !is_withheld(mine) && !is_withheld(theirs);
            Ok(Agreed {
                build: mine.build,
                first: mine.interval,
                first_verdict: said(mine),
                other: theirs.interval,
                other_verdict: said(theirs),
                difference: apart,
                agreement: match told {
                    true => Agreement::of(&apart, margin),
                    false => Agreement::Undecided,
                },
            })
        })
        .collect()
}
