//! What the layouts of a recorded comparison say of whose place matters.

use proofmark_evidence::Recorded;
use proofmark_evidence::record::{
    ArmRef, AttributionConclusion, AttributionStop, Block, ByChance, HotFunction, LayoutSpread,
    PlaceScreening, ScreenedPlace, ShareFound,
};
use proofmark_stats::attribute::{ByPlace, Places, explained_by_places, layouts_needed};
use proofmark_stats::{Anchored, LayoutUntold, layout_variance};
use proofmark_terms::{BuildIndex, Layout};

use crate::ConcludeError;
use crate::arms::paired;

/// The share of the spread that a function carries for which layouts are counted.
const HALF: f64 = 0.5;
/// How often such a function is to stand out.
const POWER: f64 = 0.9;

/// A layout of a build that ran beside the build as shipped.
#[derive(Clone, Debug, PartialEq)]
pub struct AnchoredLayout {
    /// The block.
    pub block: u32,
    /// What the block's layouts were drawn from.
    pub seed: u64,
    /// Both, round by round.
    anchored: Anchored,
}

/// The layouts of a build in a comparison; none where the build as shipped did not run beside them.
#[must_use]
pub fn anchored_layouts(recorded: &Recorded, build: BuildIndex) -> Vec<AnchoredLayout> {
    let Some(pilot) = &recorded.pilot else {
        return Vec::new();
    };
    let arms = [ArmRef::Drawn { build }, ArmRef::AsShipped { build }];
    let of = |block: &Block| {
        let Layout::Drawn { seed } = block.layout else {
            return None;
        };
        let (drawn, shipped) = paired(block, arms, pilot.schedule)?;
        Some(AnchoredLayout {
            block: block.index,
            seed,
            anchored: Anchored { drawn, shipped },
        })
    };
    recorded.blocks.iter().filter_map(of).collect()
}

/// Holds layouts against where functions started in them. `starts` has those of each function, in
/// the order of the layouts, behind any one address; `confidence` is 1 less the rate of false
/// names.
///
/// # Errors
///
/// When a value has no logarithm: the record is damaged.
pub fn screen_places(
    recorded: &Recorded,
    layouts: &[AnchoredLayout],
    (functions, starts): (Vec<HotFunction>, Vec<Vec<u64>>),
    (confidence, seed): (f64, u64),
) -> Result<PlaceScreening, ConcludeError> {
    let anchored: Vec<Anchored> = layouts.iter().map(|one| one.anchored.clone()).collect();
    let noise = noise(&anchored);
    let (spread, variance) = match layout_variance(&anchored) {
        Ok(told) => {
            let [estimate, low, high] = [told.variance, told.low, told.high].map(f64::sqrt);
            let spread = LayoutSpread {
                estimate,
                low,
                high,
                noise: noise.sqrt(),
            };
            (Some(spread), told.variance)
        }
        Err(LayoutUntold::WithinNoise { at_most }) => {
            let spread = LayoutSpread {
                estimate: 0.0,
                low: 0.0,
                high: at_most,
                noise: noise.sqrt(),
            };
            (Some(spread), 0.0)
        }
        Err(LayoutUntold::TooFew { .. }) => (None, 0.0),
        Err(LayoutUntold::Unusable { block }) => {
            return Err(ConcludeError::Damaged {
                block: layouts.get(block).map_or(0, |one| one.block),
                why: "has a value without a logarithm".to_owned(),
            });
        }
    };
    let values: Vec<f64> = anchored.iter().map(mean).collect();
    let places: Vec<Places> = starts.into_iter().map(|starts| Places { starts }).collect();
    let told = explained_by_places(&values, noise, &places, confidence, seed);
    let needed = (variance > 0.0).then(|| {
        let share = HALF * variance / (variance + noise);
        layouts_needed(share, functions.len(), 1.0 - confidence, POWER)
    });
    Ok(PlaceScreening {
        experiment: recorded.id.clone(),
        layouts: u32::try_from(layouts.len()).unwrap_or(u32::MAX),
        spread,
        functions,
        places: told.iter().map(|one| place(one, confidence)).collect(),
        needed: needed.flatten(),
    })
}

fn place(told: &ByPlace, confidence: f64) -> ScreenedPlace {
    ScreenedPlace {
        function: u32::try_from(told.function).unwrap_or(u32::MAX),
        modulus: told.modulus,
        share: ShareFound {
            share: told.share.estimate,
            low: told.share.low,
            high: told.share.high,
        },
        by_chance: ByChance {
            p_value: told.p_value,
        },
        named: told.p_value <= 1.0 - confidence,
    }
}

/// The conclusion where no function stood out, so that nothing was measured.
#[must_use]
pub fn conclude_screening(screening: &PlaceScreening, took_ms: u64) -> AttributionConclusion {
    let unknown = LayoutSpread {
        estimate: 0.0,
        low: 0.0,
        high: 0.0,
        noise: 0.0,
    };
    AttributionConclusion {
        stop: AttributionStop::Screened,
        spread: screening.spread.unwrap_or(unknown),
        functions: Vec::new(),
        others: None,
        screened: Vec::new(),
        blocks: 0,
        took_ms,
        in_runs_ms: 0,
    }
}

/// ln(drawn ÷ as shipped) by round.
fn ratios(anchored: &Anchored) -> Vec<f64> {
    let pairs = anchored.drawn.iter().zip(&anchored.shipped);
    pairs
        .map(|(drawn, shipped)| (drawn / shipped).ln())
        .collect()
}

fn mean(anchored: &Anchored) -> f64 {
    let ratios = ratios(anchored);
    ratios.iter().sum::<f64>() / ratios.len().max(1) as f64
}

/// The variance that the noise of its rounds gives to the value of a layout.
fn noise(anchored: &[Anchored]) -> f64 {
    let (mut squares, mut freedom, mut each) = (0.0, 0.0, 0.0);
    for one in anchored {
        let (ratios, mean) = (ratios(one), mean(one));
        squares += ratios
            .iter()
            .map(|ratio| (ratio - mean).powi(2))
            .sum::<f64>();
        freedom += ratios.len().saturating_sub(1) as f64;
        each += 1.0 / ratios.len().max(1) as f64;
    }
    if freedom > 0.0 {
        squares / freedom * each / anchored.len() as f64
    } else {
        0.0
    }
}
