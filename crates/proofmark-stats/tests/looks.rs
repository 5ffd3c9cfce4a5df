//! The levels of repeated looks against simulation, published values and themselves.

use proofmark_stats::{Effect, Looks, LooksError, MOST_BLOCKS, solve_nominal_alpha};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;

/// Every 29th design of the table, so that each confidence, first and last look comes up, and the
/// one that everybody uses.
#[test]
fn the_shipped_table_is_what_the_integrator_says() {
    let mut designs = vec![(0.95, 1, 8, 60)];
    for confidence in [0.9, 0.95, 0.99] {
        for comparisons in [1, 2, 3, 4] {
            for min in [3, 5, 6, 8, 10, 12, 15, 20, 30] {
                designs.extend(
                    [20, 30, 40, 50, 60, 80, 100, 120, 150, 200]
                        .map(|max| (confidence, comparisons, min, max)),
                );
            }
        }
    }
    for (confidence, comparisons, min, max) in designs
        .into_iter()
        .step_by(29)
        .filter(|design| design.2 <= design.3)
    {
        let shipped = Looks::new(confidence, min, max, comparisons)
            .unwrap()
            .nominal_alpha();
        let solved = solve_nominal_alpha((1.0 - confidence) / f64::from(comparisons), min, max);
        assert!(
            (shipped / solved - 1.0).abs() < 1e-4,
            "{confidence} {comparisons} {min}..{max}: shipped {shipped}, solved {solved}"
        );
    }
}

/// The record of 2·10⁷ simulated paths a design, made by the example `alpha_table`.
#[test]
fn the_recorded_simulation_misses_as_often_as_promised() {
    let record = include_str!("data/alpha_simulated.csv");
    let mut designs = 0;
    for line in record.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |field: usize| fields[field].parse::<f64>().expect("a number");
        let count = |field: usize| fields[field].parse::<u32>().expect("a count");
        let (confidence, comparisons, nominal_alpha) = (number(0), f64::from(count(1)), number(4));
        let (paths, missed) = (number(5), number(6));
        let looks =
            Looks::new(confidence, count(2), count(3), count(1)).expect("a possible design");
        assert!(
            (looks.nominal_alpha() / nominal_alpha - 1.0).abs() < 1e-3,
            "the record is of another level: {line}"
        );
        let promised = (1.0 - confidence) / comparisons;
        let error = (promised * (1.0 - promised) / paths).sqrt();
        assert!(
            paths >= 1e7 && (missed / paths - promised).abs() < 3.5 * error,
            "{line}"
        );
        designs += 1;
    }
    assert_eq!(designs, 10);
}

/// Paths simulated here and now, through the intervals themselves.
#[test]
fn all_intervals_of_a_design_hold_together() {
    let paths = 40_000;
    for (index, (confidence, min, max)) in [(0.95, 8, 60), (0.95, 2, 12), (0.8, 3, 30), (0.5, 4, 8)]
        .into_iter()
        .enumerate()
    {
        let looks = Looks::new(confidence, min, max, 1).unwrap();
        let mut rng = SmallRng::seed_from_u64(index as u64);
        let truth = Effect::from_ln(0.3);
        let missed = (0..paths)
            .filter(|_| {
                let effects: Vec<f64> = (0..max)
                    .map(|_| 0.3 + 0.02 * rng.sample::<f64, _>(StandardNormal))
                    .collect();
                (min..=max).any(|n| {
                    !looks
                        .interval(&effects[..n as usize])
                        .unwrap()
                        .contains(truth)
                })
            })
            .count();
        let error = (confidence * (1.0 - confidence) / f64::from(paths)).sqrt();
        let rate = missed as f64 / f64::from(paths);
        assert!(
            (rate - (1.0 - confidence)).abs() < 4.0 * error,
            "{confidence} {min}..{max}: {rate} missed"
        );
    }
}

#[test]
fn one_look_is_the_ordinary_t_interval() {
    let looks = Looks::new(0.95, 5, 5, 1).unwrap();
    assert!((looks.nominal_alpha() - 0.05).abs() < 1e-12);
    // t(4, 0.975) = 2.776 in every table; mean 3, s = √2.5, s ÷ √5 = 0.70711.
    let interval = looks.interval(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
    assert!((interval.estimate.ln() - 3.0).abs() < 1e-12);
    assert!((interval.low.ln() - (3.0 - 2.776_445 * 0.5_f64.sqrt())).abs() < 1e-5);
    assert!((interval.high.ln() - (3.0 + 2.776_445 * 0.5_f64.sqrt())).abs() < 1e-5);
}

#[test]
fn more_looks_more_confidence_and_more_comparisons_cost() {
    let level = |confidence, comparisons, min, max| {
        Looks::new(confidence, min, max, comparisons)
            .unwrap()
            .nominal_alpha()
    };
    assert!(level(0.95, 1, 8, 61) < level(0.95, 1, 8, 60));
    assert!(level(0.95, 1, 7, 60) < level(0.95, 1, 8, 60));
    assert!(level(0.96, 1, 8, 60) < level(0.95, 1, 8, 60));
    assert!(
        (level(0.95, 5, 8, 60) / level(0.99, 1, 8, 60) - 1.0).abs() < 1e-3,
        "five comparisons at 95 % are one at 99 %"
    );
}

#[test]
fn an_interval_exists_at_the_looks_only() {
    let looks = Looks::new(0.95, 3, 5, 1).unwrap();
    let effects = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6];
    for blocks in 0..=6 {
        assert_eq!(
            looks.interval(&effects[..blocks]).is_some(),
            (3..=5).contains(&blocks),
            "{blocks}"
        );
    }
    assert_eq!(looks.interval(&[0.1, f64::NAN, 0.3]), None);
    assert_eq!(looks.interval(&[0.1, f64::INFINITY, 0.3]), None);
    assert_eq!(looks.interval(&[f64::MAX, f64::MIN, f64::MAX]), None);
    let exact = looks.interval(&[0.1, 0.1, 0.1]).unwrap();
    assert!(
        exact.half_width() < 1e-15,
        "an exact metric has an interval without width"
    );
}

#[test]
fn impossible_designs_are_errors() {
    for confidence in [f64::NAN, 0.0, 0.49, 1.0, 95.0] {
        assert!(
            matches!(
                Looks::new(confidence, 8, 60, 1),
                Err(LooksError::Confidence(_))
            ),
            "{confidence}"
        );
    }
    for (min, max) in [(0, 60), (1, 60), (8, 7), (8, MOST_BLOCKS + 1)] {
        assert_eq!(
            Looks::new(0.95, min, max, 1),
            Err(LooksError::Blocks { min, max })
        );
    }
    for comparisons in [0, 100_001] {
        assert_eq!(
            Looks::new(0.95, 8, 60, comparisons),
            Err(LooksError::Comparisons(comparisons))
        );
    }
}

#[test]
fn the_extremes_of_every_range_are_sound() {
    for (confidence, min, max, comparisons) in [
        (0.5, 2, 2, 1),
        (0.5, 2, 40, 1),
        (0.9999, 2, 40, 1000),
        (0.9999, 300, MOST_BLOCKS, 1000),
        (0.999_999, 8, 60, 2),
        (0.999_999, 2, 20, 2),
    ] {
        let looks = Looks::new(confidence, min, max, comparisons).unwrap();
        let alpha = (1.0 - confidence) / f64::from(comparisons);
        let looked = f64::from(max - min + 1);
        assert!(
            looks.nominal_alpha() <= alpha * (1.0 + 1e-9)
                && looks.nominal_alpha() >= alpha / looked * (1.0 - 1e-9),
            "{looks:?}"
        );
        assert!((min..=max).all(|n| {
            looks
                .critical(n)
                .is_some_and(|critical| critical.is_finite() && critical > 0.0)
        }));
    }
}
