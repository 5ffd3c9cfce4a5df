//! What a draw promises, over functions of all kinds.

use std::collections::{HashMap, HashSet};

use proofmark_layout::{Function, Placement, draw, room};
use proofmark_terms::Population;
use proptest::prelude::*;

fn function(key: &str, power: u32, slot: u64) -> Function {
    Function {
        key: key.to_string(),
        alignment: 1 << power,
        slot,
    }
}

fn functions() -> impl Strategy<Value = Vec<Function>> {
    prop::collection::hash_map("[a-z]{1,6}", (0_u32..9, 1_u64..5000), 0..60).prop_map(|found| {
        found
            .into_iter()
            .map(|(key, (power, slot))| function(&key, power, slot))
            .collect()
    })
}

fn population() -> impl Strategy<Value = Population> {
    prop_oneof![Just(Population::Pad), Just(Population::Shuffle)]
}

fn gaps(functions: &[Function], placements: &[Placement]) -> HashMap<String, u64> {
    placements
        .iter()
        .map(|placement| (functions[placement.function].key.clone(), placement.gap))
        .collect()
}

fn order(functions: &[Function], placements: &[Placement]) -> Vec<String> {
    placements
        .iter()
        .map(|placement| functions[placement.function].key.clone())
        .collect()
}

proptest! {
    #[test]
    fn every_function_has_one_place_of_its_own(functions in functions(), seed: u64, population in population()) {
        let placements = draw(&functions, seed, population);
        let placed: HashSet<usize> = placements.iter().map(|placement| placement.function).collect();
        prop_assert_eq!((placed.len(), placements.len()), (functions.len(), functions.len()));
        let mut end = 0;
        for placement in &placements {
            let function = &functions[placement.function];
            prop_assert_eq!(placement.start % function.alignment, 0);
            prop_assert_eq!(placement.gap % function.alignment, 0);
            prop_assert!(placement.start >= end + placement.gap, "a place lies behind the one before, with its gap between");
            end = placement.start + function.slot;
        }
        prop_assert!(end <= room(&functions), "{end} of {}", room(&functions));
    }

    #[test]
    fn a_draw_is_a_pure_function(functions in functions(), seed: u64, population in population()) {
        prop_assert_eq!(draw(&functions, seed, population), draw(&functions, seed, population));
    }

    #[test]
    fn a_function_more_changes_no_gap_and_no_relative_order(functions in functions(), seed: u64, population in population(), at: prop::sample::Index) {
        let mut more = functions.clone();
        more.insert(at.index(functions.len() + 1), function("An added one", 4, 77));
        let (without, with) = (draw(&functions, seed, population), draw(&more, seed, population));
        let mut gaps_with = gaps(&more, &with);
        gaps_with.remove("An added one");
        prop_assert_eq!(gaps(&functions, &without), gaps_with);
        let mut order_with = order(&more, &with);
        order_with.retain(|key| key != "An added one");
        prop_assert_eq!(order(&functions, &without), order_with);
    }

    #[test]
    fn pad_keeps_the_order(functions in functions(), seed: u64) {
        let placed: Vec<usize> = draw(&functions, seed, Population::Pad).iter().map(|placement| placement.function).collect();
        prop_assert_eq!(placed, (0..functions.len()).collect::<Vec<_>>());
    }

    #[test]
    fn another_size_changes_no_gap(functions in functions(), seed: u64, population in population(), at: prop::sample::Index) {
        prop_assume!(!functions.is_empty());
        let mut larger = functions.clone();
        larger[at.index(functions.len())].slot += 1234;
        prop_assert_eq!(gaps(&functions, &draw(&functions, seed, population)), gaps(&larger, &draw(&larger, seed, population)));
    }
}

/// Pearson's statistic of counts that should be equal.
fn chi_square(counts: &[u32]) -> f64 {
    let mean = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
    counts
        .iter()
        .map(|count| (f64::from(*count) - mean).powi(2) / mean)
        .sum()
}

// The draws below are of fixed seeds, so the tests do not flicker; the bounds are the 0.999
// quantiles of chi-square.

#[test]
fn starts_are_uniform_within_a_line() {
    let functions: Vec<Function> = (0..40)
        .map(|index| function(&format!("f{index}"), 4, 100 + 16 * index))
        .collect();
    for population in [Population::Pad, Population::Shuffle] {
        let mut counts = [0_u32; 4];
        let mut pairs = [0_u32; 16];
        for seed in 0..400 {
            let placements = draw(&functions, seed, population);
            for placement in &placements {
                counts[usize::try_from(placement.start % 64 / 16).unwrap()] += 1;
            }
            let class = |at: usize| usize::try_from(placements[at].start % 64 / 16).unwrap();
            for at in (0..40).step_by(2) {
                pairs[class(at) * 4 + class(at + 1)] += 1;
            }
        }
        assert!(chi_square(&counts) < 16.3, "{population:?}: {counts:?}");
        assert!(
            chi_square(&pairs) < 37.7,
            "neighbours are independent: {population:?}: {pairs:?}"
        );
    }
}

#[test]
fn functions_that_are_not_aligned_start_anywhere_in_a_line() {
    let functions = [function("unaligned", 0, 33), function("other", 0, 7)];
    let mut counts = [0_u32; 64];
    for seed in 0..12_800 {
        counts[usize::try_from(draw(&functions, seed, Population::Pad)[1].start % 64).unwrap()] +=
            1;
    }
    assert!(chi_square(&counts) < 103.4, "{counts:?}");
}

#[test]
fn shuffle_draws_every_order_equally_often() {
    let functions = [
        function("a", 4, 16),
        function("b", 4, 16),
        function("c", 4, 16),
        function("d", 4, 16),
    ];
    let mut counts: HashMap<Vec<usize>, u32> = HashMap::new();
    for seed in 0..12_000 {
        *counts
            .entry(
                draw(&functions, seed, Population::Shuffle)
                    .iter()
                    .map(|placement| placement.function)
                    .collect(),
            )
            .or_default() += 1;
    }
    let counts: Vec<u32> = counts.into_values().collect();
    assert_eq!(counts.len(), 24);
    assert!(chi_square(&counts) < 49.8, "{counts:?}");
}

#[test]
fn one_function_in_sixty_four_moves_far_and_only_in_pad() {
    let functions: Vec<Function> = (0..640)
        .map(|index| function(&format!("f{index}"), 4, 64))
        .collect();
    let far = |population| {
        (0..100)
            .map(|seed| {
                draw(&functions, seed, population)
                    .iter()
                    .filter(|placement| placement.gap >= 64)
                    .count()
            })
            .sum::<usize>()
    };
    let found = far(Population::Pad);
    // 64,000 draws, of which 1/64 are far and 63/64 of those longer than nothing: 984, with a
    // standard deviation of 31.
    assert!((860..1110).contains(&found), "{found}");
    assert_eq!(far(Population::Shuffle), 0);
}

#[test]
fn the_first_function_starts_anywhere_in_a_page() {
    let functions = [function("main", 4, 16)];
    let starts: HashSet<u64> = (0..4000)
        .map(|seed| draw(&functions, seed, Population::Shuffle)[0].start / 64)
        .collect();
    assert!(starts.len() >= 64, "{}", starts.len());
}

#[test]
fn a_recorded_seed_means_the_same_layout_for_ever() {
    let functions: Vec<Function> = ["alpha", "beta", "gamma", "delta"]
        .iter()
        .map(|key| function(key, 4, 48))
        .collect();
    let of = |population| {
        draw(&functions, 43, population)
            .iter()
            .map(|placement| (placement.function, placement.gap, placement.start))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        of(Population::Pad),
        [(0, 32, 1888), (1, 48, 1984), (2, 48, 2080), (3, 16, 2144)]
    );
    assert_eq!(
        of(Population::Shuffle),
        [(1, 48, 1904), (0, 32, 1984), (2, 48, 2080), (3, 16, 2144)]
    );
}
