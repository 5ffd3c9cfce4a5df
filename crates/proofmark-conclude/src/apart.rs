//! The drawn images' numbers held against those of the images that the builds left: where layouts
//! do not explain how far the two are apart, something else does.

use proofmark_evidence::record::{Comparison, ShippedApart, Warning};
use proofmark_stats::Interval;
use proofmark_terms::BuildIndex;

use crate::measured::Measured;
use crate::name::name;
use crate::placement::layout_variance_at_most;
use crate::withheld::is_withheld;

/// Standard deviations that hold 95 % of a normal distribution.
const DEVIATIONS: f64 = 1.96;

/// The comparisons whose as-shipped ratio lies further outside of the verdict's
/// interval than the two builds' own spread over layouts explains.
///
/// A single image of each build is one draw from all of its layouts: the ratio of two strays from
/// the mean by √(s² of the base + s² of the new build), s being the spread of ln(drawn ÷ shipped)
/// of one build. The spread of *matched* ratios would be too small a measure: they share their
/// layout, and the as-shipped pair does not.
pub(crate) fn apart<'a>(
    measured: &Measured<'_>,
    comparisons: &'a [Comparison],
) -> Vec<(&'a Comparison, Warning)> {
    let warn = |comparison: &'a Comparison| {
        let shipped = comparison.as_shipped.as_ref()?.interval;
        let told = spread(measured, comparison.build);
        // Blocks that are too few to tell how far layouts stray say nothing by themselves.
        let spread = told.or_else(|| is_withheld(comparison).then_some(0.0))?;
        is_apart(&shipped, &comparison.interval, spread).then(|| {
            let warning = Warning::ShippedApart(ShippedApart {
                build: name(measured.experiment, comparison.build).to_owned(),
                shipped: shipped.estimate.ratio(),
                over_layouts: comparison.interval.estimate.ratio(),
                explained: told.map(|spread| DEVIATIONS * spread),
                drawn: comparison.drawn.clone(),
            });
            (comparison, warning)
        })
    };
    comparisons.iter().filter_map(warn).collect()
}

/// Whether the as-shipped ratio of a comparison may be apart. Blocks that are too few to tell how
/// far single layouts stray explain nothing.
pub(crate) fn may_be_apart(measured: &Measured<'_>, comparison: &Comparison) -> bool {
    let spread = spread(measured, comparison.build).unwrap_or(0.0);
    let shipped = comparison.as_shipped.as_ref();
    shipped.is_some_and(|shipped| is_apart(&shipped.interval, &comparison.interval, spread))
}

/// How far the ratio of single images strays from its mean, on the scale of ln: one standard
/// deviation. Absent where blocks are too few to tell.
fn spread(measured: &Measured<'_>, build: BuildIndex) -> Option<f64> {
    let base = layout_variance_at_most(BuildIndex::BASE, measured)?;
    Some((base + layout_variance_at_most(build, measured)?).sqrt())
}

/// Whether two intervals are further apart than single layouts stray.
fn is_apart(shipped: &Interval, verdict: &Interval, spread: f64) -> bool {
    let ln = |effect: proofmark_stats::Effect| effect.ratio().ln();
    let above = ln(shipped.low) - ln(verdict.high);
    let below = ln(verdict.low) - ln(shipped.high);
    above.max(below) > DEVIATIONS * spread
}

#[cfg(test)]
mod tests {
    use proofmark_stats::Effect;

    use super::*;

    fn interval(low: f64, high: f64) -> Interval {
        Interval {
            estimate: Effect::from_ratio((low * high).sqrt()),
            low: Effect::from_ratio(low),
            high: Effect::from_ratio(high),
        }
    }

    #[test]
    fn what_layouts_explain_is_not_apart() {
        let verdict = interval(0.995, 1.005);
        assert!(is_apart(&interval(0.71, 0.73), &verdict, 0.02));
        assert!(is_apart(&interval(1.30, 1.35), &verdict, 0.02));
        assert!(
            !is_apart(&interval(1.02, 1.04), &verdict, 0.02),
            "one layout in twenty"
        );
        assert!(
            !is_apart(&interval(0.9, 1.1), &verdict, 0.0),
            "not told from it"
        );
        assert!(is_apart(&interval(1.006, 1.007), &verdict, 0.0));
    }
}
