//! When an experiment stops: its looks, and what is made of each.

use proofmark_evidence::record::Design;
use proofmark_stats::{Better, Looks, Rule};
use proofmark_terms::Metric;

use crate::error::ConcludeError;

/// The looks of a design at so many comparisons, whose intervals hold together.
///
/// # Errors
///
/// When there is no interval for such a design.
pub fn looks(design: &Design, comparisons: u32) -> Result<Looks, ConcludeError> {
    Looks::new(
        design.confidence,
        design.min_blocks,
        design.max_blocks,
        comparisons.max(1),
    )
    .map_err(|error| ConcludeError::Design(error.to_string()))
}

/// What each look is judged by. `widening` is what slices and rounding may have done to the
/// effect after each block; nothing where whole runs are taken and all digits are known.
pub(crate) fn rule(looks: Looks, design: &Design, better: Better, widening: Vec<f64>) -> Rule {
    let rule = Rule::new(looks, design.margin, better)
        .widened_by_block(widening)
        .asking(design.asked.clone());
    match design.precision {
        Some(relative) => rule.precise(relative),
        None => rule,
    }
}

/// What two causes add to an interval after each block; either may have nothing to add.
pub(crate) fn sum_by_block(mut one: Vec<f64>, other: &[f64]) -> Vec<f64> {
    one.resize(one.len().max(other.len()), 0.0);
    for (sum, by) in one.iter_mut().zip(other) {
        *sum += by;
    }
    one
}

/// Which way of a metric is an improvement.
#[must_use]
pub fn better(metric: &Metric) -> Better {
    if metric.higher_is_better() {
        Better::Higher
    } else {
        Better::Lower
    }
}

/// The number of blocks after which a comparison was first decided; `None` where it is not decided
/// after all of them.
pub(crate) fn decided_after(rule: &Rule, effects: &[f64]) -> Option<u32> {
    let decided = |n: usize| {
        let look = rule.look(&effects[..n]);
        look.is_some_and(|look| look.verdict.is_decided())
    };
    let first = (1..=effects.len()).find(|&n| decided(n))?;
    u32::try_from(first).ok().filter(|_| decided(effects.len()))
}

#[cfg(test)]
mod tests {
    use proofmark_stats::Margin;

    use super::*;

    #[test]
    fn a_verdict_was_given_at_the_block_that_first_gave_it() {
        let looks = Looks::new(0.95, 4, 20, 1).unwrap();
        let margin = Margin::from_relative(0.01).unwrap();
        let rule = Rule::new(looks, margin, Better::Lower);
        let clear: Vec<f64> = (0..12).map(|n| 0.2 + 0.001 * f64::from(n % 3)).collect();
        assert_eq!(decided_after(&rule, &clear), Some(4));
        // What comes later takes it back.
        let mut taken_back = clear.clone();
        taken_back.extend([-3.0, 4.0, -2.0]);
        assert_eq!(decided_after(&rule, &taken_back), None);
        assert_eq!(decided_after(&rule, &clear[..3]), None);
    }
}
