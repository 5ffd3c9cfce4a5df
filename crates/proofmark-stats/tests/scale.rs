//! Fixed and proportional cost, against lines whose truth is known.

use proofmark_stats::{Bounded, Effect, Lines, Looks, Part, ScaleError};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Normal};

const SIZES: [f64; 4] = [10.0, 20.0, 40.0, 80.0];

fn looks() -> Looks {
    Looks::new(0.95, 8, 20, 1).expect("a possible design")
}

/// What a block does to all sizes of all builds that share it, as a logarithm.
fn shared(rng: &mut SmallRng, count: usize, noise: f64) -> Vec<f64> {
    let normal = Normal::new(0.0, noise).expect("a possible spread");
    (0..count).map(|_| normal.sample(rng)).collect()
}

/// Blocks of a build whose line is known: noise of the block on all sizes alike, and of each value.
fn blocks(rng: &mut SmallRng, (a, b): (f64, f64), block: &[f64], noise: f64) -> Vec<Vec<f64>> {
    let normal = Normal::new(0.0, noise).expect("a possible spread");
    block
        .iter()
        .map(|block| {
            let value = |size: &f64| (a + b * size) * (block + normal.sample(rng)).exp();
            SIZES.iter().map(value).collect()
        })
        .collect()
}

fn holds(found: &Bounded, truth: f64) -> bool {
    (found.low..=found.high).contains(&truth)
}

fn fit(blocks: &[Vec<f64>]) -> Lines {
    Lines::fit(&SIZES, blocks).expect("a line")
}

#[test]
fn a_line_without_noise_is_found_exactly() {
    let exact = |a: f64, b: f64| fit(&vec![SIZES.map(|size| a + b * size).to_vec(); 8]);
    let (base, new) = (exact(3.0, 0.5), exact(1.5, 0.6));
    let fixed = base.fixed(&looks()).expect("a look");
    assert!((fixed.estimate - 3.0).abs() < 1e-12 && (fixed.high - fixed.low).abs() < 1e-7);
    let slope = base.slope(&looks()).expect("a look");
    assert!((slope.estimate - 0.5).abs() < 1e-12);
    assert!(base.misfit() < 1e-12);
    let Some(Part::Ratio { interval }) = new.fixed_against(&base, &looks()) else {
        panic!("the fixed parts have a ratio");
    };
    assert!((interval.estimate.ratio() - 0.5).abs() < 1e-9);
    let Some(Part::Ratio { interval }) = new.slope_against(&base, &looks()) else {
        panic!("the proportional parts have a ratio");
    };
    assert!((interval.estimate.ratio() - 1.2).abs() < 1e-9);
    let beyond = new.fixed_beyond(&base, &looks()).expect("a look");
    assert!((beyond.estimate + 1.5).abs() < 1e-9);
}

#[test]
fn weights_follow_relative_errors() {
    // Three sizes off the line; the closed form of the weighted normal equations, solved by hand
    // with weights 1/T².
    let lines = Lines::fit(&[1.0, 2.0, 3.0], &vec![vec![1.0, 2.0, 4.0]; 8]).expect("a line");
    // S = 21/16, Sx = 27/16, Sy = 7/4, Sxx = 41/16, Sxy = 11/4.
    let (s, sx, sy, sxx, sxy) = (21.0 / 16.0, 27.0 / 16.0, 7.0 / 4.0, 41.0 / 16.0, 11.0 / 4.0);
    let b = (s * sxy - sx * sy) / (s * sxx - sx * sx);
    let a = (sy - b * sx) / s;
    let looks = looks();
    assert!((lines.slope(&looks).expect("a look").estimate - b).abs() < 1e-12);
    assert!((lines.fixed(&looks).expect("a look").estimate - a).abs() < 1e-12);
    let worst = [(1.0, 1.0), (2.0, 2.0), (3.0, 4.0)]
        .map(|(x, y): (f64, f64)| ((a + b * x) / y - 1.0).abs())
        .into_iter()
        .fold(0.0, f64::max);
    assert!((lines.misfit() - worst).abs() < 1e-8);
}

#[test]
fn intervals_of_both_parts_hold_together_over_the_looks() {
    const PATHS: u32 = 3000;
    let mut rng = SmallRng::seed_from_u64(5);
    let looks = looks();
    let (mut fixed_missed, mut slope_missed) = (0, 0);
    for _ in 0..PATHS {
        // The fixed part is a good share of the smallest size, so that it is told from zero. What
        // both builds of a block share is most of what either shows, so that it matters how the
        // interval takes it.
        let block = shared(&mut rng, 20, 0.05);
        let base = blocks(&mut rng, (20.0, 1.0), &block, 0.02);
        let new = blocks(&mut rng, (10.0, 1.1), &block, 0.02);
        let missed = |part: Option<Part>, truth: f64| match part {
            Some(Part::Ratio { interval }) => !interval.contains(Effect::from_ratio(truth)),
            Some(Part::NotFromZero) => false,
            Some(Part::BelowZero) => true,
            None => panic!("every number of blocks here is a look"),
        };
        let (mut fixed, mut slope) = (false, false);
        for count in 8..=20 {
            let (new, base) = (fit(&new[..count]), fit(&base[..count]));
            fixed |= missed(new.fixed_against(&base, &looks), 0.5);
            slope |= missed(new.slope_against(&base, &looks), 1.1);
        }
        fixed_missed += u32::from(fixed);
        slope_missed += u32::from(slope);
    }
    // 5 % and three and a half standard errors; far below would mean intervals that are too wide.
    let range = 60..=150 + 42;
    assert!(range.contains(&fixed_missed), "{fixed_missed} of {PATHS}");
    assert!(range.contains(&slope_missed), "{slope_missed} of {PATHS}");
}

#[test]
fn a_fixed_part_of_nothing_has_no_ratio() {
    let mut rng = SmallRng::seed_from_u64(6);
    let mut told = 0;
    for _ in 0..300 {
        let block = shared(&mut rng, 10, 0.02);
        let base = fit(&blocks(&mut rng, (0.0, 1.0), &block, 0.02));
        let new = fit(&blocks(&mut rng, (5.0, 1.0), &block, 0.02));
        for (new, base) in [(&new, &base), (&base, &new)] {
            let part = new.fixed_against(base, &looks()).expect("a look");
            told += u32::from(part != Part::NotFromZero);
        }
    }
    // A fixed part of zero is told from zero by mistake in less than 1 % of single looks.
    assert!(told <= 8, "{told}");
}

#[test]
fn what_rounding_leaves_of_nothing_has_no_ratio() {
    // Values that a program prints, without noise: 100 + 10·N and 10·N.
    let sizes = [1.0, 100.0];
    let lines = |fixed: f64, slope: f64| {
        let block: Vec<f64> = sizes.iter().map(|size| fixed + slope * size).collect();
        let noisy = |nth: i32| {
            block
                .iter()
                .map(|v| v * (1.0 + f64::from(nth) * 1e-16))
                .collect()
        };
        Lines::fit(&sizes, &(0..8).map(noisy).collect::<Vec<_>>()).expect("a line")
    };
    let looks = looks();
    for nothing in [lines(0.0, 10.0), lines(0.0, 0.3), lines(0.0, 1e9 / 3.0)] {
        for (new, base) in [
            (&lines(100.0, 10.0), &nothing),
            (&nothing, &lines(100.0, 10.0)),
        ] {
            let part = new.fixed_against(base, &looks);
            assert_eq!(part, Some(Part::NotFromZero), "{new:?} {base:?}");
        }
    }
    let flat = lines(1.0 / 3.0, 0.0);
    let part = lines(100.0, 10.0).slope_against(&flat, &looks);
    assert_eq!(part, Some(Part::NotFromZero));
    // A rate that falls with the size: what is known to be below zero is not what may be zero.
    let falling = lines(3000.0, -10.0).slope_against(&lines(3000.0, -20.0), &looks);
    assert_eq!(falling, Some(Part::BelowZero));
    let beyond = lines(3000.0, -10.0).slope_beyond(&lines(3000.0, -20.0), &looks);
    assert!(beyond.is_some_and(|found| (found.estimate - 10.0).abs() < 1e-9));
    // A difference is as wide as what double precision may have made of it.
    let equal = lines(1.0 / 3.0, 10.0 / 3.0);
    let none = equal.fixed_beyond(&lines(1.0 / 3.0 + 1e-14, 10.0 / 3.0), &looks);
    assert!(none.is_some_and(|found| holds(&found, -1e-14) && holds(&found, 0.0)));
    let small = lines(1e-8, 2e-9).fixed_beyond(&lines(5e-9, 4e-9), &looks);
    assert!(small.is_some_and(|found| (found.estimate / 5e-9 - 1.0).abs() < 1e-6));
    let half = lines(50.0, 10.0).fixed_against(&lines(100.0, 10.0), &looks);
    assert!(
        matches!(half, Some(Part::Ratio { interval }) if interval.contains(Effect::from_ratio(0.5)))
    );
}

#[test]
fn a_small_fixed_part_is_seen_beside_a_size_however_large() {
    let looks = looks();
    for largest in [1e12, 1e15] {
        let sizes = [1.0, largest];
        let lines = |a: f64, b: f64| {
            let block = sizes.map(|size| a + b * size).to_vec();
            Lines::fit(&sizes, &vec![block; 8]).expect("a line")
        };
        let (new, base) = (lines(0.0, 0.10), lines(0.4, 0.09));
        let beyond = new.fixed_beyond(&base, &looks).expect("a look");
        assert!(holds(&beyond, -0.4) && !holds(&beyond, 0.0), "{beyond:?}");
        let beyond = new.slope_beyond(&base, &looks).expect("a look");
        assert!(holds(&beyond, 0.01) && !holds(&beyond, 0.0), "{beyond:?}");
    }
}

/// What rounding to whole numbers may do to all values of a size: half a step of the least of
/// them, unless they are several steps apart.
fn off_by(blocks: &[Vec<f64>]) -> Vec<f64> {
    let of_size = |size: usize| {
        let values = || blocks.iter().map(|values| values[size]);
        let least = values().fold(f64::INFINITY, f64::min);
        let most = values().fold(0.0, f64::max);
        if most - least < 1.5 { 0.5 / least } else { 0.0 }
    };
    (0..SIZES.len()).map(of_size).collect()
}

#[test]
fn what_is_hidden_at_each_size_widens_by_what_it_counts() {
    // 0.4 + 0.09·N and 0.10·N, printed in whole numbers: 1, 2, 4 of both.
    let sizes = [10.0, 20.0, 40.0];
    let printed = Lines::fit(&sizes, &vec![vec![1.0, 2.0, 4.0]; 8]).expect("a line");
    let looks = looks();
    let ratio = |lines: &Lines| lines.slope_against(lines, &looks).expect("a look");
    assert!(matches!(ratio(&printed), Part::Ratio { interval } if interval.high.ln() < 1e-6));
    let known = printed.clone().widened_by(&[0.5, 0.25, 0.125]);
    let Part::Ratio { interval } = ratio(&known) else {
        panic!("the slope is told from zero");
    };
    assert!(
        interval.contains(Effect::from_ratio(0.10 / 0.09)),
        "{interval:?}"
    );
    let slope = known.slope(&looks).expect("a look");
    assert!(holds(&slope, 0.09) && holds(&slope, 0.10), "{slope:?}");
    let fixed = known.fixed(&looks).expect("a look");
    assert!(holds(&fixed, 0.4) && holds(&fixed, 0.0), "{fixed:?}");
    assert_eq!(known.fixed_against(&known, &looks), Some(Part::NotFromZero));
}

#[test]
fn what_is_hidden_at_each_size_makes_no_line_crooked() {
    // 0.3 + 0.075·N, printed in whole numbers: 1.05, 1.8 and 3.3.
    let sizes = [10.0, 20.0, 40.0];
    let lines = |block: [f64; 3]| Lines::fit(&sizes, &vec![block.to_vec(); 8]).expect("a line");
    let printed = lines([1.0, 2.0, 3.0]);
    assert!(printed.misfit() > 0.05, "{printed:?}");
    assert_eq!(printed.widened_by(&[0.5, 0.25, 0.5 / 3.0]).misfit(), 0.0);
    let crooked = lines([10.0, 20.0, 80.0]).widened_by(&[0.05, 0.025, 0.006]);
    assert!(crooked.misfit() > 0.1, "{crooked:?}");
}

/// N·log N is no line. Both builds bend alike, so that their difference is still known.
#[test]
fn what_no_line_explains_widens_the_parts() {
    let sizes = [1000.0, 2000.0, 4000.0];
    let bent = |fixed: f64, slope: f64| {
        let values = sizes.map(|size: f64| fixed + slope * size * size.log2());
        Lines::fit(&sizes, &vec![values.to_vec(); 8]).expect("a line")
    };
    let (base, new) = (bent(10.0, 1.0), bent(1000.0, 1.0));
    assert!(base.misfit() > 0.01, "{base:?}");
    let looks = looks();
    let beyond = new.fixed_beyond(&base, &looks).expect("a look");
    assert!(holds(&beyond, 990.0), "{beyond:?}");
    assert!(beyond.high - beyond.low < 200.0, "{beyond:?}");
    let own = base.fixed(&looks).expect("a look");
    assert!(own.high - own.low > 500.0, "{own:?}");
    // Twice the slope of the one is no more than that of the other, bent as both are.
    let Some(Part::Ratio { interval }) = bent(10.0, 2.0).slope_against(&base, &looks) else {
        panic!("no ratio");
    };
    assert!(interval.contains(Effect::from_ratio(2.0)), "{interval:?}");
    let Some(Part::Ratio { interval }) = new.slope_against(&base, &looks) else {
        panic!("no ratio");
    };
    assert!(interval.contains(Effect::NONE), "{interval:?}");
    // One that bends to the other side shares nothing with it.
    let square = sizes.map(|size: f64| 20_000.0 + size * size.sqrt() / 8.0);
    let other = Lines::fit(
        &sizes,
        &vec![square.map(|value| 60_000.0 - value).to_vec(); 8],
    );
    let other = other.expect("a line");
    let apart = other.fixed_beyond(&base, &looks).expect("a look");
    assert!(
        apart.high - apart.low > beyond.high - beyond.low,
        "{apart:?}"
    );
}

#[test]
fn intervals_of_rounded_numbers_hold_the_truth() {
    const PATHS: u32 = 1500;
    let mut rng = SmallRng::seed_from_u64(7);
    let looks = looks();
    for noise in [0.0, 0.01, 0.05] {
        let (mut missed, mut told) = ([0; 4], [0; 4]);
        for _ in 0..PATHS {
            let mut line = || (rng.random_range(0.0..8.0), rng.random_range(0.1..0.5));
            let (of_new, of_base) = (line(), line());
            let block = shared(&mut rng, 10, noise);
            let mut printed = |line| {
                let mut printed = blocks(&mut rng, line, &block, noise);
                let values = printed.iter_mut().flatten();
                values.for_each(|value| *value = value.round());
                fit(&printed).widened_by(&off_by(&printed))
            };
            let (new, base) = (printed(of_new), printed(of_base));
            let ratio = |part: Option<Part>, truth: f64| match part.expect("a look") {
                Part::Ratio { interval } => Some(interval.contains(Effect::from_ratio(truth))),
                Part::NotFromZero => None,
                Part::BelowZero => Some(false),
            };
            let beyond = |found: Option<Bounded>, truth: f64| found.map(|of| holds(&of, truth));
            let of_parts = [
                ratio(new.fixed_against(&base, &looks), of_new.0 / of_base.0),
                ratio(new.slope_against(&base, &looks), of_new.1 / of_base.1),
                beyond(new.fixed_beyond(&base, &looks), of_new.0 - of_base.0),
                beyond(new.slope_beyond(&base, &looks), of_new.1 - of_base.1),
            ];
            for (part, holds) in of_parts.into_iter().enumerate() {
                told[part] += u32::from(holds.is_some());
                missed[part] += u32::from(holds == Some(false));
            }
        }
        println!("noise {noise}: {missed:?} of {told:?} intervals miss");
        for (missed, told) in missed.into_iter().zip(told) {
            assert!(
                told > PATHS / 10 && 20 * missed <= told,
                "{missed} of {told}"
            );
        }
    }
}

#[test]
fn what_is_no_line_is_refused() {
    let fit = |sizes: &[f64], block: Vec<f64>| Lines::fit(sizes, &[block]).err();
    assert_eq!(fit(&[1.0], vec![1.0]), Some(ScaleError::Sizes(1)));
    assert_eq!(fit(&[2.0, 2.0], vec![1.0, 1.0]), Some(ScaleError::Sizes(1)));
    assert_eq!(fit(&[1.0, 2.0], vec![1.0]), Some(ScaleError::Unpaired));
    assert_eq!(
        fit(&[1.0, 2.0], vec![1.0, 0.0]),
        Some(ScaleError::NotPositive)
    );
    assert_eq!(
        fit(&[1.0, f64::NAN], vec![1.0, 1.0]),
        Some(ScaleError::NotPositive)
    );
    let few = Lines::fit(&[1.0, 2.0], &vec![vec![1.0, 2.0]; 3]).expect("a line");
    assert_eq!(few.slope_against(&few, &looks()), None);
}
