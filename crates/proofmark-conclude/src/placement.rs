//! What placement alone does to the builds of an experiment.

use proofmark_evidence::record::{ArmRef, Drawing, LayoutAlone, LayoutControl, SpreadRatio};
use proofmark_stats::{
    Anchored, LayoutUntold, LayoutVariance, Looks, layout_alone, layout_variance, spread_ratio,
};
use proofmark_terms::BuildIndex;

use crate::arms::paired;
use crate::measured::Measured;

/// What two single builds of the same code could have shown: a range where layouts vary by more
/// than the rounds' noise, an upper bound where the noise explains what is seen; `None` where too
/// little was measured for either.
pub(crate) fn alone(measured: &Measured<'_>, build: BuildIndex) -> Option<LayoutAlone> {
    if !measured.experiment.layouts.is_drawn() {
        return None;
    }
    let (base, new) = (
        variance(BuildIndex::BASE, measured)?,
        variance(build, measured)?,
    );
    if let (Ok(base), Ok(new)) = (&base, &new) {
        let (low_ratio, high_ratio) = layout_alone(base, new);
        return Some(LayoutAlone {
            low_ratio,
            high_ratio,
            at_most: false,
        });
    }
    // Variances of independent layouts add up; 1.96 standard deviations hold 95 % of a normal
    // distribution.
    let half = 1.96 * (at_most(base)? + at_most(new)?).sqrt();
    Some(LayoutAlone {
        low_ratio: (-half).exp(),
        high_ratio: half.exp(),
        at_most: true,
    })
}

/// How far the layouts of a build lie from each other, against those of the base, where each build
/// was drawn on its own; `None` where it cannot be told, or layouts were matched: then what both
/// share spreads alike by construction.
///
/// Looked at after every block as the effect is, it has the effect's level at each look.
pub(crate) fn spread(
    measured: &Measured<'_>,
    build: BuildIndex,
    looks: &Looks,
) -> Option<SpreadRatio> {
    let LayoutControl::Drawn {
        how: Drawing::Independent { .. },
        ..
    } = &measured.experiment.layouts
    else {
        return None;
    };
    let (base, new) = (
        anchored(BuildIndex::BASE, measured)?,
        anchored(build, measured)?,
    );
    let found = spread_ratio(&base, &new, looks.nominal_alpha()).ok()??;
    Some(SpreadRatio {
        ratio: found.estimate,
        low: found.low,
        high: found.high,
    })
}

/// The variance of one build over its layouts; `None` where it was not measured as shipped in the
/// same rounds.
fn variance(
    build: BuildIndex,
    measured: &Measured<'_>,
) -> Option<Result<LayoutVariance, LayoutUntold>> {
    Some(layout_variance(&anchored(build, measured)?))
}

/// The blocks of one build, in drawn layouts and as shipped; `None` where it was not measured as
/// shipped in the same rounds.
fn anchored(build: BuildIndex, measured: &Measured<'_>) -> Option<Vec<Anchored>> {
    let arms = [ArmRef::Drawn { build }, ArmRef::AsShipped { build }];
    measured
        .blocks
        .iter()
        .map(|block| {
            let (drawn, shipped) = paired(block, arms, measured.pilot.schedule)?;
            Some(Anchored { drawn, shipped })
        })
        .collect()
}

/// The variance of one build over its layouts, or the most that the noise leaves room for; `None`
/// where neither can be told.
pub(crate) fn layout_variance_at_most(build: BuildIndex, measured: &Measured<'_>) -> Option<f64> {
    match variance(build, measured)? {
        Ok(told) => Some(told.variance),
        untold => at_most(untold),
    }
}

/// The upper bound of a variance over layouts.
fn at_most(told: Result<LayoutVariance, LayoutUntold>) -> Option<f64> {
    match told {
        Ok(variance) => Some(variance.high),
        Err(LayoutUntold::WithinNoise { at_most }) => Some(at_most * at_most),
        Err(_) => None,
    }
}
