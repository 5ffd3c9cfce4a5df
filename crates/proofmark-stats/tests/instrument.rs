//! What is asked of the instrument: shift, position, and doubts about the blocks.

use proofmark_stats::{Doubt, Margin, PositionError, check, mean_shift, position_bias, shift};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rand_distr::{StandardNormal, StudentT};

fn normal(count: usize, mean: f64, spread: f64, rng: &mut SmallRng) -> Vec<f64> {
    (0..count)
        .map(|_| mean + spread * rng.sample::<f64, _>(StandardNormal))
        .collect()
}

/// 1, 2, 3 against 5, 9: difference 5, variances 1/3 and 8/2 = 4, error √4.333; Welch's degrees of
/// freedom 4.333² ÷ (0.333²/2 + 4²/1).
#[test]
fn a_shift_worked_by_hand() {
    let shift = shift(&[1.0, 2.0, 3.0], &[5.0, 9.0]).unwrap();
    assert!((shift.estimate - 5.0).abs() < 1e-12);
    assert!((shift.error - (13.0_f64 / 3.0).sqrt()).abs() < 1e-12);
    // scipy.stats.ttest_ind(equal_var=False).confidence_interval() is −13.907306 … 23.907306.
    assert!((shift.half_width - 18.907_306).abs() < 1e-5, "{shift:?}");
}

#[test]
fn only_a_shift_beyond_its_error_and_a_quarter_of_the_margin_exceeds() {
    let margin = Margin::from_relative(0.01).unwrap();
    let around = |mean: f64| [mean - 0.0001, mean, mean + 0.0001];
    assert!(shift(&around(0.0), &around(0.01)).unwrap().exceeds(margin));
    assert!(shift(&around(0.01), &around(0.0)).unwrap().exceeds(margin));
    assert!(
        !shift(&around(0.0), &around(0.002)).unwrap().exceeds(margin),
        "less than a quarter of the margin"
    );
    assert!(
        shift(&around(0.0), &around(0.004)).unwrap().exceeds(margin),
        "more than a quarter of the margin, less than half"
    );
    assert!(
        !shift(&[-0.02, 0.0, 0.02], &[-0.01, 0.01, 0.03])
            .unwrap()
            .exceeds(margin),
        "within its error"
    );
    assert!(
        shift(&[0.1; 3], &[0.2; 3]).unwrap().stands_out(),
        "exact metrics have no error"
    );
    assert_eq!(shift(&[0.1], &[0.1, 0.2]), None);
    assert_eq!(shift(&[0.1, f64::NAN], &[0.1, 0.2]), None);
}

/// 1, 2, 3, 6: mean 3, variance 14/3, error √(14/12); t(3; 0.975) = 3.182446.
#[test]
fn a_shift_by_blocks_worked_by_hand() {
    let found = mean_shift(&[0.01, 0.02, 0.03, 0.06]).unwrap();
    assert!((found.estimate - 0.03).abs() < 1e-12);
    let half_width = 3.182_446 * (14.0_f64 / 12.0).sqrt() * 0.01;
    assert!((found.half_width - half_width).abs() < 1e-7, "{found:?}");
    assert!(!found.stands_out());
    let margin = Margin::from_relative(0.01).unwrap();
    let watched = 0.03 + half_width - margin.ln() / 2.0;
    assert!((found.watched(margin) - watched).abs() < 1e-7);
    // Known to within half the margin, it widens by its estimate alone.
    let known = mean_shift(&[0.003, 0.004, 0.003, 0.004]).unwrap();
    assert!((known.watched(margin) - 0.0035).abs() < 1e-12);
    assert_eq!(mean_shift(&[0.1]), None);
    assert_eq!(mean_shift(&[0.1, f64::NAN]), None);
}

#[test]
fn a_shift_that_is_not_there_exceeds_hardly_ever() {
    let (mut rng, margin) = (
        SmallRng::seed_from_u64(2),
        Margin::from_relative(0.01).unwrap(),
    );
    let exceeded = (0..4000)
        .filter(|_| {
            shift(
                &normal(6, 0.0, 0.002, &mut rng),
                &normal(6, 0.0, 0.002, &mut rng),
            )
            .unwrap()
            .exceeds(margin)
        })
        .count();
    assert!(exceeded < 40, "{exceeded} of 4000");
}

/// Box, Hunter and Hunter's way of a randomised block design, small enough to check: two places are
/// a paired t test.
#[test]
fn two_places_are_a_paired_t_test() {
    // Differences 1, 2, 3, 4: mean 2.5, s = 1.29099, t = 3.87298 with 3 degrees of freedom, p =
    // 0.030466.
    let bias = position_bias(&[
        vec![0.0, 1.0],
        vec![10.0, 12.0],
        vec![-5.0, -2.0],
        vec![3.0, 7.0],
    ])
    .unwrap();
    assert!((bias.p_value - 0.030_466).abs() < 1e-5, "{bias:?}");
    assert!((bias.by_position[0] + 1.25).abs() < 1e-12 && (bias.range() - 2.5).abs() < 1e-12);
}

#[test]
fn places_that_do_not_matter_are_rarely_accused_and_those_that_do_are_found() {
    let mut rng = SmallRng::seed_from_u64(3);
    let heavy = StudentT::new(3.0).unwrap();
    let mut accused = |cost: f64, tails: bool| {
        let hits = (0..3000).filter(|_| {
            let rounds: Vec<Vec<f64>> = (0..40)
                .map(|_| {
                    let burst: f64 = rng.sample(StandardNormal);
                    let mut noise = || {
                        if tails {
                            rng.sample(heavy)
                        } else {
                            rng.sample::<f64, _>(StandardNormal)
                        }
                    };
                    (0..3)
                        .map(|place| 5.0 * burst + noise() + if place == 0 { cost } else { 0.0 })
                        .collect()
                })
                .collect();
            position_bias(&rounds).unwrap().p_value < 0.05
        });
        hits.count() as f64 / 3000.0
    };
    assert!((accused(0.0, false) - 0.05).abs() < 0.014);
    assert!(accused(0.0, true) < 0.06);
    assert!(accused(0.8, false) > 0.9);
}

#[test]
fn places_that_cannot_be_told_are_errors() {
    assert_eq!(
        position_bias(&[]),
        Err(PositionError::TooFew {
            rounds: 0,
            positions: 0
        })
    );
    assert_eq!(
        position_bias(&[vec![1.0], vec![1.0]]),
        Err(PositionError::TooFew {
            rounds: 2,
            positions: 1
        })
    );
    assert_eq!(
        position_bias(&[vec![1.0, 2.0], vec![1.0]]),
        Err(PositionError::Unusable { round: 1 })
    );
    assert_eq!(
        position_bias(&[vec![1.0, 2.0], vec![1.0, f64::NAN]]),
        Err(PositionError::Unusable { round: 1 })
    );
    let same = position_bias(&[vec![1.0, 1.0], vec![2.0, 2.0]]).unwrap();
    assert!((same.p_value - 1.0).abs() < 1e-15);
}

#[test]
fn independent_normal_blocks_raise_few_doubts() {
    let mut rng = SmallRng::seed_from_u64(4);
    for blocks in [8, 20, 60] {
        let doubted = (0..4000)
            .filter(|_| !check(&normal(blocks, 0.01, 0.02, &mut rng)).is_empty())
            .count();
        assert!(doubted < 100, "{doubted} of 4000 with {blocks} blocks");
    }
}

#[test]
fn blocks_alike_with_their_neighbours_are_doubted() {
    // The limit for 40 blocks: −1/40 + 2.326 · 38 ÷ (40 · √39).
    let effects: Vec<f64> = (0..40)
        .map(|block| f64::from(block / 5 % 2) * 0.01 + f64::from(block % 3) * 0.001)
        .collect();
    assert!(
        matches!(check(&effects)[..], [Doubt::Correlated { lag_one, limit }] if lag_one > 0.5 && (limit - 0.328_8).abs() < 1e-4),
        "{:?}",
        check(&effects)
    );
}

#[test]
fn outliers_of_one_side_are_doubted_and_those_of_both_are_not() {
    let mut effects: Vec<f64> = (0..30)
        .map(|block| f64::from(block * 7 % 11) * 0.001)
        .collect();
    effects[3] = 0.2;
    assert_eq!(check(&effects), [], "one alone has no side");
    effects[17] = 0.3;
    let doubts = check(&effects);
    assert!(
        matches!(doubts[..], [Doubt::OneSided { outliers: 2, distance }] if (distance - 0.245).abs() < 0.002),
        "{doubts:?}"
    );
    effects[25] = -0.2;
    assert_eq!(check(&effects), []);
}

#[test]
fn too_little_to_doubt() {
    assert_eq!(check(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 9.0]), []);
    assert_eq!(check(&[0.0; 20]), []);
    assert_eq!(check(&[f64::NAN; 20]), []);
}
