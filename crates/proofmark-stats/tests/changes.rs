//! Series with a known truth: changes are found where they are, and hardly ever where none is.
//! `bench/history` has the same with many more series.

use proofmark_stats::changes::{Levels, levels};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution as _, Exp1, StandardNormal, StudentT};

type Noise = fn(&mut SmallRng) -> f64;

fn normal(draw: &mut SmallRng) -> f64 {
    draw.sample(StandardNormal)
}

/// Heavy tails: outliers of ten deviations.
fn heavy(draw: &mut SmallRng) -> f64 {
    StudentT::new(3.0).map_or(0.0, |t| t.sample(draw))
}

/// Never faster than a bound.
fn skewed(draw: &mut SmallRng) -> f64 {
    draw.sample(Exp1)
}

/// Every fifth run is on the slow side.
fn bimodal(draw: &mut SmallRng) -> f64 {
    let slow = draw.random_range(0.0..1.0) < 0.2;
    0.1 * normal(draw) + if slow { 1.0 } else { 0.0 }
}

/// A clock that ticks coarsely.
fn coarse(draw: &mut SmallRng) -> f64 {
    (0.4 * normal(draw)).round()
}

const NOISES: [(&str, Noise); 5] = [
    ("normal", normal),
    ("heavy", heavy),
    ("skewed", skewed),
    ("bimodal", bimodal),
    ("coarse", coarse),
];

fn drawn(noise: Noise, values: usize, level: impl Fn(usize) -> f64, draw: &mut SmallRng) -> Levels {
    let series: Vec<f64> = (0..values).map(|at| level(at) + noise(draw)).collect();
    levels(&series, 1).unwrap()
}

#[test]
fn few_series_without_a_change_get_one() {
    const SERIES: usize = 100;
    for (name, noise) in NOISES {
        let mut draw = SmallRng::seed_from_u64(1);
        let found = (0..SERIES).map(|_| drawn(noise, 40, |_| 0.0, &mut draw));
        let wrong = found.filter(|levels| !levels.changes.is_empty()).count();
        // 5 % of 100; more than 12 come up in 2 of 1,000 draws.
        assert!(wrong <= 12, "{name}: {wrong} of {SERIES}");
    }
}

#[test]
fn a_change_is_found_with_its_place_and_its_size_whatever_the_noise() {
    const SERIES: usize = 20;
    for (name, noise) in NOISES {
        let mut draw = SmallRng::seed_from_u64(2);
        let step = |at: usize| if at < 40 { 0.0 } else { 5.0 };
        let (mut right, mut inside, mut sized) = (0, 0, 0);
        for _ in 0..SERIES {
            let found = drawn(noise, 60, step, &mut draw);
            let [change] = found.changes.as_slice() else {
                continue;
            };
            right += 1;
            inside += usize::from(change.within.contains(&40));
            sized += usize::from((change.size - 5.0).abs() < 1.5);
            assert!(found.p_value.is_some_and(|p| p <= 0.05));
        }
        assert!(
            right >= 15 && inside >= right - 2 && sized >= right - 1,
            "{name}: {right} {inside} {sized}"
        );
    }
}

#[test]
fn both_edges_of_a_peak_are_found_and_a_single_outlier_is_none() {
    let mut draw = SmallRng::seed_from_u64(3);
    let peak = |at: usize| if (50..58).contains(&at) { 8.0 } else { 0.0 };
    let found = drawn(normal, 120, peak, &mut draw);
    let at: Vec<usize> = found.changes.iter().map(|change| change.at).collect();
    assert_eq!(at, [50, 58]);
    let spike = |at: usize| if at == 50 || at == 119 { 500.0 } else { 0.0 };
    let found = drawn(normal, 120, spike, &mut draw);
    assert_eq!(found.changes, []);
    assert!(found.levels[0].outliers >= 2);
}

#[test]
fn a_jump_is_found_in_a_series_that_grows_by_more_than_it_is_noisy() {
    // The size of a program: each commit adds 0.07 %, and one adds half of it.
    let mut draw = SmallRng::seed_from_u64(4);
    for _ in 0..8 {
        let mut size = 1e6_f64;
        let series = (0..100).map(|commit| {
            size += 700.0 * draw.sample::<f64, _>(Exp1);
            size *= if commit == 50 { 1.5 } else { 1.0 };
            size.ln()
        });
        let found = levels(&series.collect::<Vec<_>>(), 1).unwrap();
        let jump = found.changes.iter().find(|change| change.at == 50);
        let jump = jump.unwrap_or_else(|| panic!("{:?}", found.changes));
        assert!((jump.size - 0.405).abs() < 0.03, "{jump:?}");
    }
}

#[test]
fn what_has_no_noise_has_its_steps_and_nothing_else() {
    let of = |series: &[f64]| levels(series, 1).map(|found| found.changes.len());
    assert_eq!(of(&[5.0; 30]), Some(0));
    let steps: Vec<f64> = (0..30).map(|at| if at < 12 { 5.0 } else { 7.0 }).collect();
    assert_eq!(of(&steps), Some(1));
    assert_eq!(of(&[5.0, 7.0]), Some(0));
    assert_eq!(of(&[]), None);
    assert_eq!(of(&[1.0, f64::NAN]), None);
    let huge: Vec<f64> = (0..30)
        .map(|at| if at < 12 { 1e-300 } else { 1e300 })
        .collect();
    assert_eq!(of(&huge), Some(1));
}

#[test]
fn the_same_series_gives_the_same_answer_on_any_scale() {
    let mut draw = SmallRng::seed_from_u64(4);
    let series: Vec<f64> = (0..80)
        .map(|at| normal(&mut draw) + if at < 30 { 0.0 } else { 4.0 })
        .collect();
    let scaled: Vec<f64> = series.iter().map(|value| value * 1024.0 - 4096.0).collect();
    let at = |series: &[f64]| {
        let found = levels(series, 9)
            .map(|found| found.changes)
            .unwrap_or_default();
        found.iter().map(|change| change.at).collect::<Vec<_>>()
    };
    assert_eq!(at(&series), at(&scaled));
    assert_eq!(at(&series), [30]);
}
