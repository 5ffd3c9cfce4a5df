//! Whose place matters, with a known truth: published Sobol' indices, planted functions, and none.

use proofmark_stats::attribute::{
    Feature, Mixed, Places, Shares, Twice, explained_by_features, explained_by_places,
    layouts_needed, shares, signs, without_bursts,
};
use rand::rngs::SmallRng;
use rand::seq::SliceRandom as _;
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;

/// Blocks of a function of independent inputs on [0, 1), with noise of each measurement and of each
/// block.
fn blocks(
    of: &dyn Fn(&[f64]) -> f64,
    inputs: usize,
    groups: &[&[usize]],
    (count, noise): (usize, f64),
    rng: &mut SmallRng,
) -> Vec<Mixed> {
    let block = |_| {
        let draw = |rng: &mut SmallRng| -> Vec<f64> { (0..inputs).map(|_| rng.random()).collect() };
        let (one, other) = (draw(rng), draw(rng));
        let shared: [f64; 2] = [rng.sample(StandardNormal), rng.sample(StandardNormal)];
        let mut twice = |inputs: &[f64]| -> Twice {
            let value = of(inputs);
            shared.map(|shared| {
                let own: f64 = rng.sample(StandardNormal);
                value + noise * own + 10.0 * shared
            })
        };
        let mixed = |group: &&[usize]| {
            let mut inputs = other.clone();
            group.iter().for_each(|input| inputs[*input] = one[*input]);
            inputs
        };
        let kept: Vec<Vec<f64>> = groups.iter().map(mixed).collect();
        Mixed {
            one: twice(&one),
            other: twice(&other),
            kept: kept.iter().map(|inputs| twice(inputs)).collect(),
        }
    };
    (0..count).map(block).collect()
}

fn told(blocks: &[Mixed], groups: usize) -> Shares {
    shares(blocks, groups, 0.95).expect("enough blocks")
}

/// sin x₁ + 7 sin² x₂ + 0.1 x₃⁴ sin x₁ on [−π, π] (Ishigami and Homma 1990).
fn ishigami(inputs: &[f64]) -> f64 {
    let x: Vec<f64> = inputs
        .iter()
        .map(|input| std::f64::consts::PI * (2.0 * input - 1.0))
        .collect();
    x[0].sin() + 7.0 * x[1].sin().powi(2) + 0.1 * x[2].powi(4) * x[0].sin()
}

/// Sobol's g-function with a = 0, 1, 4.5, 9, 99, 99.
fn g(inputs: &[f64]) -> f64 {
    let a = [0.0, 1.0, 4.5, 9.0, 99.0, 99.0];
    inputs
        .iter()
        .zip(a)
        .map(|(x, a)| ((4.0 * x - 2.0).abs() + a) / (1.0 + a))
        .product()
}

#[test]
fn shares_of_published_functions_come_out_as_published_whatever_the_noise() {
    let mut rng = SmallRng::seed_from_u64(1);
    let single: [&[usize]; 6] = [&[0], &[1], &[2], &[3], &[4], &[5]];
    // Ishigami with a = 7, b = 0.1: D = 13.8446; Saltelli et al., Global Sensitivity Analysis,
    // 2008.
    let published = [(0.3139, 0.5576), (0.4424, 0.4424), (0.0, 0.2437)];
    for noise in [0.0, 3.0] {
        let found = told(
            &blocks(&ishigami, 3, &single[..3], (8_000, noise), &mut rng),
            3,
        );
        assert!(
            (found.variance.estimate / 13.8446 - 1.0).abs() < 0.06,
            "{found:?}"
        );
        assert!((found.noise - noise * noise).abs() < 0.2, "{found:?}");
        for (part, (first, total)) in found.groups.iter().flatten().zip(published) {
            assert!(
                (part.first.estimate - first).abs() < 0.06,
                "{noise}: {part:?}"
            );
            assert!(
                (part.total.estimate - total).abs() < 0.06,
                "{noise}: {part:?}"
            );
        }
    }
    // Vᵢ = 1 ÷ (3(1 + aᵢ)²), V = Π(1 + Vᵢ) − 1, total Vᵢ·Π over the others (Saltelli et al. 2010).
    let v = [0.0, 1.0, 4.5, 9.0, 99.0, 99.0].map(|a: f64| 1.0 / (3.0 * (1.0 + a).powi(2)));
    let product: f64 = v.iter().map(|v| 1.0 + v).product();
    let found = told(&blocks(&g, 6, &single, (8_000, 0.5), &mut rng), 6);
    for (part, v) in found.groups.iter().flatten().zip(v) {
        let (first, total) = (
            v / (product - 1.0),
            v * product / (1.0 + v) / (product - 1.0),
        );
        assert!(
            (part.first.estimate - first).abs() < 0.06,
            "{first} {part:?}"
        );
        assert!(
            (part.total.estimate - total).abs() < 0.06,
            "{total} {part:?}"
        );
    }
}

#[test]
fn intervals_of_few_blocks_hold_nearly_as_often_as_they_say() {
    let mut rng = SmallRng::seed_from_u64(2);
    // Two inputs of two classes each: 70 % and 30 % of the variance.
    let of =
        |x: &[f64]| 0.7_f64.sqrt() * f64::from(x[0] < 0.5) + 0.3_f64.sqrt() * f64::from(x[1] < 0.5);
    let (mut held, tries) = (0, 400);
    for _ in 0..tries {
        let found = told(&blocks(&of, 2, &[&[0], &[1]], (32, 0.2), &mut rng), 2);
        let first = found.groups[0].expect("layouts vary").first;
        held += u32::from(first.low <= 0.7 && 0.7 <= first.high);
    }
    let share = f64::from(held) / f64::from(tries);
    assert!((0.90..0.99).contains(&share), "{share}");
}

#[test]
fn groups_that_do_nothing_are_called_at_the_stated_rate() {
    let mut rng = SmallRng::seed_from_u64(3);
    // Layouts vary, and what varies is in no group.
    let of = |x: &[f64]| f64::from(x[6] < 0.25);
    let single: Vec<[usize; 1]> = (0..6).map(|at| [at]).collect();
    let single: Vec<&[usize]> = single.iter().map(<[usize; 1]>::as_slice).collect();
    let tries = 60;
    let called = (0..tries)
        .filter(|seed| {
            let blocks = blocks(&of, 7, &single, (12, 0.5), &mut rng);
            signs(&blocks, 6, *seed)[0].p_value <= 0.05
        })
        .count();
    assert!(called <= 8, "{called} of {tries}");
}

/// Layouts whose places do nothing, in copies that cost what their slot costs: slots are the same
/// in all blocks, as pages are that come back again and again. One value in ten is hit by a burst.
fn copied(
    groups: usize,
    count: usize,
    mut slot: impl FnMut(usize, &mut SmallRng) -> Vec<usize>,
    rng: &mut SmallRng,
) -> Vec<Mixed> {
    let normal = |rng: &mut SmallRng| -> f64 { rng.sample(StandardNormal) };
    let costs: Vec<f64> = (0..=groups).map(|_| normal(rng)).collect();
    let mut block = || {
        let [first, second] = [0, 1].map(|_| {
            let slots = slot(groups + 1, rng);
            let mut value = |slot: &usize| {
                let burst = if rng.random_range(0..10) == 0 {
                    20.0
                } else {
                    0.0
                };
                costs[*slot] + 0.2 * normal(rng) + burst
            };
            slots.iter().map(&mut value).collect::<Vec<f64>>()
        });
        let mut twice = first.into_iter().zip(second).map(|(a, b)| [a, b]);
        Mixed {
            one: [0.0; 2],
            other: twice.next().unwrap_or_default(),
            kept: twice.collect(),
        }
    };
    (0..count).map(|_| block()).collect()
}

#[test]
fn copies_in_drawn_slots_that_never_change_name_nothing_beyond_the_stated_rate() {
    let mut rng = SmallRng::seed_from_u64(11);
    let drawn = |count: usize, rng: &mut SmallRng| {
        let mut slots: Vec<usize> = (0..count).collect();
        slots.shuffle(rng);
        slots
    };
    let fixed = |count: usize, _: &mut SmallRng| (0..count).collect::<Vec<usize>>();
    let tries = 60;
    let (mut by_chance, mut by_habit) = (0, 0);
    for seed in 0..tries {
        let blocks = copied(3, 8, drawn, &mut rng);
        by_chance += u32::from(signs(&blocks, 3, seed)[0].p_value <= 0.05);
        let blocks = copied(3, 8, fixed, &mut rng);
        by_habit += u32::from(signs(&blocks, 3, seed)[0].p_value <= 0.05);
    }
    // More than 8 have a chance of 0.3 % at 5 %.
    assert!(by_chance <= 8, "{by_chance} of {tries}");
    // That is what the draw is for.
    assert!(by_habit > 15, "{by_habit} of {tries}");
}

#[test]
fn a_group_that_matters_is_called_and_others_beside_it_are_not() {
    let mut rng = SmallRng::seed_from_u64(4);
    // Two that act only together, one by itself, three that do nothing.
    let of = |x: &[f64]| f64::from(x[0] < 0.5) + f64::from((x[1] < 0.5) == (x[2] < 0.5));
    let single: Vec<[usize; 1]> = (0..6).map(|at| [at]).collect();
    let single: Vec<&[usize]> = single.iter().map(<[usize; 1]>::as_slice).collect();
    let (tries, mut found, mut false_names) = (16, 0, 0);
    for seed in 0..tries {
        let blocks = blocks(&of, 6, &single, (24, 0.3), &mut rng);
        let named: Vec<usize> = signs(&blocks, 6, seed)
            .iter()
            .filter(|sign| sign.p_value <= 0.05)
            .map(|sign| sign.group)
            .collect();
        found += u32::from([0, 1, 2].iter().all(|one| named.contains(one)));
        false_names += u32::from(named.iter().any(|one| *one > 2));
    }
    assert!(found >= 15, "{found} of {tries}");
    assert!(false_names <= 3, "{false_names} of {tries}");
}

/// Starts of functions in layouts: multiples of 16 anywhere in a page.
fn places(functions: usize, layouts: usize, rng: &mut SmallRng) -> Vec<Places> {
    let mut one = |_| Places {
        starts: (0..layouts)
            .map(|_| 16 * rng.random_range(0..256))
            .collect(),
    };
    (0..functions).map(&mut one).collect()
}

#[test]
fn recorded_layouts_name_the_function_that_matters_and_none_where_none_does() {
    let mut rng = SmallRng::seed_from_u64(5);
    let (tries, layouts) = (20, 60);
    let (mut found, mut false_names) = (0, 0);
    for seed in 0..tries {
        let functions = places(12, layouts, &mut rng);
        let noise: Vec<f64> = (0..layouts)
            .map(|_| 0.005 * rng.sample::<f64, _>(StandardNormal))
            .collect();
        let planted: Vec<f64> = noise
            .iter()
            .zip(&functions[7].starts)
            .map(|(noise, start)| noise + if start & 16 == 0 { 0.0 } else { 0.02 })
            .collect();
        let told = explained_by_places(&planted, 0.0, &functions, 0.95, seed);
        found +=
            u32::from(told[0].function == 7 && told[0].p_value <= 0.05 && told[0].share.low > 0.5);
        let told = explained_by_places(&noise, 0.0, &functions, 0.95, seed);
        false_names += u32::from(told[0].p_value <= 0.05);
    }
    assert_eq!(found, 20);
    assert!(false_names <= 4, "{false_names} of {tries}");
}

#[test]
fn recorded_layouts_name_none_where_none_matters_at_the_stated_rate() {
    let mut rng = SmallRng::seed_from_u64(8);
    let (tries, layouts) = (100, 20);
    let named = (0..tries)
        .filter(|seed| {
            let functions = places(3, layouts, &mut rng);
            // Noise that is far from normal: one in five is off to one side.
            let noise: Vec<f64> = (0..layouts)
                .map(|_| rng.random::<f64>() + 5.0 * f64::from(rng.random::<f64>() < 0.2))
                .collect();
            let told = explained_by_places(&noise, 0.0, &functions, 0.95, *seed);
            told[0].p_value <= 0.05
        })
        .count();
    // More than 11 have a chance of 0.4 % at 5 %.
    assert!(named <= 11, "{named} of {tries}");
}

#[test]
fn a_function_stands_out_as_often_as_was_said_with_the_layouts_that_it_takes() {
    let mut rng = SmallRng::seed_from_u64(9);
    let functions = 4;
    let layouts = layouts_needed(0.5, functions, 0.05, 0.9).expect("a finite number");
    let layouts = usize::try_from(layouts).expect("few");
    let tries = 40;
    let found = (0..tries)
        .filter(|seed| {
            let functions = places(functions, layouts, &mut rng);
            // Four classes of a line, of which two are slower by as much as the noise's deviation
            // twice: half of the variance.
            let values: Vec<f64> = (0..layouts)
                .map(|layout| {
                    let slow = functions[1].starts[layout] & 32 == 0;
                    let noise: f64 = rng.sample(StandardNormal);
                    2.0 * f64::from(slow) + noise
                })
                .collect();
            let told = explained_by_places(&values, 0.0, &functions, 0.95, *seed);
            told[0].function == 1 && told[0].p_value <= 0.05
        })
        .count();
    // 36 expected; fewer than 30 have a chance of 0.2 %.
    assert!(found >= 30, "{found} of {tries} with {layouts} layouts");
}

/// Features of both places of some pairs: one of two classes, one of four, one of a single class,
/// and one of too many.
fn features(pairs: usize, rng: &mut SmallRng) -> Vec<Feature> {
    [2, 4, 1, 64]
        .map(|kinds: u64| Feature {
            classes: (0..pairs)
                .map(|_| [rng.random_range(0..kinds), rng.random_range(0..kinds)])
                .collect(),
        })
        .to_vec()
}

#[test]
fn the_feature_that_explains_a_place_is_told_and_none_where_none_does() {
    let mut rng = SmallRng::seed_from_u64(10);
    let (tries, pairs) = (60, 40);
    let (mut found, mut false_names) = (0, 0);
    for seed in 0..tries {
        let features = features(pairs, &mut rng);
        let noise: Vec<f64> = (0..pairs)
            .map(|_| 0.01 * rng.sample::<f64, _>(StandardNormal))
            .collect();
        // The third of four classes takes 4 % longer.
        let slow = |class: u64| if class == 2 { 0.04 } else { 0.0 };
        let planted: Vec<f64> = noise
            .iter()
            .zip(&features[1].classes)
            .map(|(noise, [one, other])| noise + slow(*one) - slow(*other))
            .collect();
        let told = explained_by_features(&planted, &features, seed).expect("features to try");
        assert_eq!(told.tried, 2);
        if told.feature == 1 && told.p_value <= 0.05 {
            found += 1;
            let apart = told.classes[2].2 - told.classes[0].2;
            assert!((0.01..0.08).contains(&apart), "{told:?}");
        }
        let told = explained_by_features(&noise, &features, seed).expect("features to try");
        false_names += u32::from(told.p_value <= 0.05);
    }
    assert!(found >= 58, "{found} of {tries}");
    // More than 8 have a chance of 0.3 % at 5 %.
    assert!(false_names <= 8, "{false_names} of {tries}");
    assert_eq!(explained_by_features(&[], &[], 0), None);
}

#[test]
fn nothing_to_go_by_is_nothing_said() {
    let lonely = Mixed {
        one: [0.0; 2],
        other: [1.0; 2],
        kept: vec![[0.0; 2]],
    };
    assert_eq!(shares(std::slice::from_ref(&lonely), 1, 0.95), None);
    // Groups that are not those of the blocks.
    assert_eq!(shares(&[lonely.clone(), lonely.clone()], 2, 0.95), None);
    let flat = Mixed {
        one: [0.3; 2],
        other: [0.3; 2],
        kept: vec![[0.3; 2]],
    };
    let found = told(&[flat.clone(), flat.clone()], 1);
    assert_eq!(found.groups, [None]);
    assert_eq!(signs(&[flat.clone(), flat], 1, 0)[0].p_value, 1.0);
    assert!(explained_by_places(&[], 0.0, &[], 0.95, 0).is_empty());
}

#[test]
fn a_burst_that_hits_one_measurement_does_not_decide() {
    let mut rng = SmallRng::seed_from_u64(6);
    let of = |x: &[f64]| 0.04 * f64::from(x[0] < 0.5) + 0.02 * f64::from(x[1] < 0.5);
    let mut blocks = blocks(&of, 2, &[&[0], &[1]], (400, 0.002), &mut rng);
    let share = |blocks: &[Mixed]| {
        told(blocks, 2).groups[0]
            .expect("layouts vary")
            .first
            .estimate
    };
    let (clean, mut hit) = (share(&blocks), blocks.clone());
    for (index, block) in hit.iter_mut().enumerate() {
        block.kept[0][index % 2] += if index % 10 == 0 { 0.3 } else { 0.0 };
    }
    without_bursts(&mut hit);
    assert!(
        (share(&hit) - clean).abs() < 0.05,
        "{} {clean}",
        share(&hit)
    );
    // Without bursts hardly anything changes.
    without_bursts(&mut blocks);
    assert!((share(&blocks) - clean).abs() < 0.01, "{clean}");
}
