//! What of a function's place goes with the metric.

use proofmark_evidence::record::{
    Attribution, AttributionBlock, ByChance, ByPlaceFeature, FeatureClass, HotFunction,
    PlaceFeature,
};
use proofmark_stats::attribute::{Feature, explained_by_features};
use proofmark_terms::FunctionIndex;

/// What starts are taken modulo, and in which steps, in bytes.
const STARTS: [[u64; 2]; 5] = [[16, 1], [32, 16], [64, 16], [128, 16], [PAGE, 512]];
/// Lines of code that a loop's first instruction may cross, in bytes.
const LINES: [u64; 2] = [32, 64];
/// Addresses that far apart share a set of the first instruction cache, in bytes: 64 sets of lines
/// of 64 bytes, on all processors of today but few.
const PAGE: u64 = 4096;
const LINE: u64 = 64;

/// Two layouts of a block that differ in the place of one function alone.
pub(super) struct Moved<'b> {
    /// The block.
    pub(super) block: &'b AttributionBlock,
    /// ln(the one ÷ the other): of layout U, with the place from A, and of B.
    pub(super) apart: f64,
}

/// What of its place goes with the metric, as far as any feature does; none where no feature could
/// be tried.
pub(super) fn by_feature(
    attribution: &Attribution,
    function: FunctionIndex,
    moved: &[Moved<'_>],
    (confidence, seed): (f64, u64),
) -> Option<ByPlaceFeature> {
    let own = function.of(&attribution.functions)?;
    let kinds = kinds(attribution, function, own);
    let features: Vec<Feature> = kinds
        .iter()
        .map(|kind| Feature {
            classes: moved
                .iter()
                .map(|moved| classes(attribution, function, *kind, moved.block))
                .collect::<Option<_>>()
                .unwrap_or_default(),
        })
        .collect();
    let apart: Vec<f64> = moved.iter().map(|moved| moved.apart).collect();
    let found = explained_by_features(&apart, &features, seed)?;
    let explains = found.p_value <= 1.0 - confidence;
    let classes = found
        .classes
        .iter()
        .map(|(class, layouts, apart)| FeatureClass {
            class: *class,
            layouts: *layouts,
            ratio: apart.exp(),
        });
    Some(ByPlaceFeature {
        feature: *kinds.get(found.feature)?,
        by_chance: ByChance {
            p_value: found.p_value,
        },
        explains,
        tried: u32::try_from(found.tried).unwrap_or(u32::MAX),
        share: found.share,
        classes: classes.collect(),
    })
}

/// The features that are tried.
fn kinds(
    attribution: &Attribution,
    function: FunctionIndex,
    own: &HotFunction,
) -> Vec<PlaceFeature> {
    let starts = STARTS.map(|[modulus, step]| PlaceFeature::Start { modulus, step });
    let mut kinds = starts.to_vec();
    if !own.heads.is_empty() {
        kinds.extend(LINES.map(|line| PlaceFeature::Heads { line }));
    }
    let others = FunctionIndex::all(attribution.functions.len());
    let others = others.filter(|other| *other != function);
    kinds.extend(others.map(|other| PlaceFeature::Sets { other }));
    kinds
}

/// The classes of both places: of the function's own from A, and from B. All other functions have
/// theirs from B in both layouts.
fn classes(
    attribution: &Attribution,
    function: FunctionIndex,
    kind: PlaceFeature,
    block: &AttributionBlock,
) -> Option<[u64; 2]> {
    let of = |function: FunctionIndex| function.of(&attribution.functions);
    let start =
        |layout: usize, function: FunctionIndex| function.of(&block.starts[layout]).copied();
    let own = of(function)?;
    let places = [start(0, function)?, start(1, function)?];
    Some(match kind {
        PlaceFeature::Start { modulus, step } => places.map(|at| at % modulus / step * step),
        PlaceFeature::Heads { line } => places.map(|at| {
            let crosses = |[offset, length]: &&[u64; 2]| {
                (at + offset) / line != (at + offset + length.saturating_sub(1)) / line
            };
            own.heads.iter().filter(crosses).count() as u64
        }),
        PlaceFeature::Sets { other } => {
            let theirs = sets(start(1, other)?, of(other)?.bytes);
            places.map(|at| u64::from(sets(at, own.bytes) & theirs != 0))
        }
    })
}

/// The sets of the instruction cache that a function has lines in, a bit for each.
fn sets(start: u64, bytes: u64) -> u64 {
    let (first, last) = (start / LINE, (start + bytes.max(1) - 1) / LINE);
    let count = (last - first).min(PAGE / LINE - 1);
    let set = |line: u64| 1_u64 << (line % (PAGE / LINE));
    (first..=first + count).fold(0, |sets, line| sets | set(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_go_around_a_page() {
        assert_eq!(sets(0, 64), 1);
        assert_eq!(sets(60, 8), 0b11);
        assert_eq!(sets(4096 + 4032, 65), 1 << 63 | 1);
        assert_eq!(sets(100, 5000), u64::MAX);
    }
}
