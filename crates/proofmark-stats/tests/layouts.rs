//! How much is layout: against known truth and worked examples.

use proofmark_stats::{
    Anchored, Better, LayoutUntold, LayoutVariance, better_than, layout_alone, layout_variance,
    spread_ratio,
};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;

/// Blocks of one build: what a round's two images share is large, and cancels.
fn measured(
    layouts: usize,
    rounds: usize,
    layout: f64,
    noise: f64,
    rng: &mut SmallRng,
) -> Vec<Anchored> {
    let mut normal = || rng.sample::<f64, _>(StandardNormal);
    (0..layouts)
        .map(|_| {
            let here = layout * normal();
            let (drawn, shipped) = (0..rounds)
                .map(|_| {
                    let burst = 0.3 * normal();
                    (
                        (burst + here + noise * normal()).exp(),
                        (burst + noise * normal()).exp(),
                    )
                })
                .unzip();
            Anchored { drawn, shipped }
        })
        .collect()
}

fn logs(values: &[f64]) -> Vec<f64> {
    values.iter().map(|value| value.exp()).collect()
}

/// Three layouts with two rounds each; ln ratios −1, 1 | 4, 6 | 9, 13: means 0, 5, 11, within (2 +
/// 2 + 8) ÷ 3 = 4, mean square between 2·(5.333² + 0.333² + 5.667²) ÷ 2 = 60.67, so (60.67 − 4) ÷
/// 2 = 28.33.
#[test]
fn a_worked_example() {
    let block = |ratios: [f64; 2]| Anchored {
        drawn: logs(&ratios),
        shipped: vec![1.0; 2],
    };
    let told =
        layout_variance(&[block([-1.0, 1.0]), block([4.0, 6.0]), block([9.0, 13.0])]).unwrap();
    assert_eq!(told.layouts, 3);
    assert!(
        (told.noise - 4.0).abs() < 1e-9 && (told.variance - 28.333_333).abs() < 1e-5,
        "{told:?}"
    );
    // F = 15.167 with 2 and 3 degrees of freedom: (1 + 2·15.167/3)^(−3/2).
    assert!(
        (told.p_value - (1.0 + 2.0 * 60.666_667 / 4.0 / 3.0_f64).powf(-1.5)).abs() < 1e-6,
        "{told:?}"
    );
}

/// Unequal numbers of rounds: 0, 2 | 10 | 5, 6, 7. Within 4 ÷ 3; mean square between 60 ÷ 2; a
/// group stands for (6 − 14/6) ÷ 2 = 1.8333 rounds.
#[test]
fn layouts_may_have_unequal_rounds() {
    let block = |ratios: &[f64]| Anchored {
        drawn: logs(ratios),
        shipped: vec![1.0; ratios.len()],
    };
    let told =
        layout_variance(&[block(&[0.0, 2.0]), block(&[10.0]), block(&[5.0, 6.0, 7.0])]).unwrap();
    assert!((told.noise - 4.0 / 3.0).abs() < 1e-9, "{told:?}");
    assert!(
        (told.variance - (30.0 - 4.0 / 3.0) / (11.0 / 6.0)).abs() < 1e-9,
        "{told:?}"
    );
    assert!(
        (told.p_value - 16.0_f64.powf(-1.5)).abs() < 1e-9,
        "{told:?}"
    );
}

#[test]
fn the_variance_is_found_and_its_bounds_hold() {
    let mut rng = SmallRng::seed_from_u64(1);
    for (layout, noise, layouts, rounds) in [
        (0.02, 0.01, 14, 4),
        (0.005, 0.01, 30, 6),
        (0.02, 0.002, 8, 2),
    ] {
        let tries = 3000;
        let (mut held, mut told, mut sum) = (0, 0, 0.0);
        for _ in 0..tries {
            match layout_variance(&measured(layouts, rounds, layout, noise, &mut rng)) {
                Ok(variance) => {
                    told += 1;
                    sum += variance.variance;
                    held += u32::from(
                        variance.low <= layout * layout && layout * layout <= variance.high,
                    );
                    assert!(
                        variance.low <= variance.variance && variance.variance <= variance.high,
                        "{variance:?}"
                    );
                }
                Err(LayoutUntold::WithinNoise { at_most }) => held += u32::from(layout <= at_most),
                Err(other) => panic!("{other}"),
            }
        }
        let (held, told, sum) = (f64::from(held) / f64::from(tries), f64::from(told), sum);
        assert!(
            held > 0.935,
            "bounds held in {held} for {layout} {noise} {layouts} {rounds}"
        );
        if told > 0.99 * f64::from(tries) {
            assert!(
                (sum / told / (layout * layout) - 1.0).abs() < 0.04,
                "{} for {layout}",
                sum / told
            );
        }
    }
}

#[test]
fn noise_alone_is_not_called_layout() {
    let mut rng = SmallRng::seed_from_u64(2);
    let tries = 4000;
    let told = (0..tries)
        .filter(|_| layout_variance(&measured(14, 4, 0.0, 0.01, &mut rng)).is_ok())
        .count();
    let share = told as f64 / f64::from(tries);
    assert!((share - 0.05).abs() < 3.5 * 0.0035, "{share}");
}

#[test]
fn a_share_that_the_data_cannot_carry_is_withheld_with_its_bound() {
    let mut rng = SmallRng::seed_from_u64(4);
    let untold = layout_variance(&measured(14, 4, 0.001, 0.03, &mut rng)).unwrap_err();
    let LayoutUntold::WithinNoise { at_most } = untold else {
        panic!("{untold}")
    };
    assert!((0.005..0.04).contains(&at_most), "{at_most}");
    assert!(untold.to_string().contains('%'), "{untold}");
}

#[test]
fn what_cannot_be_told_is_an_error() {
    let block = |drawn: &[f64], shipped: &[f64]| Anchored {
        drawn: drawn.to_vec(),
        shipped: shipped.to_vec(),
    };
    let two = block(&[1.0, 1.1], &[1.0, 1.0]);
    assert_eq!(
        layout_variance(&[two.clone(), two.clone()]),
        Err(LayoutUntold::TooFew {
            layouts: 2,
            rounds: 4
        })
    );
    let one = block(&[1.0], &[1.0]);
    assert_eq!(
        layout_variance(&[one.clone(), one.clone(), one]),
        Err(LayoutUntold::TooFew {
            layouts: 3,
            rounds: 3
        })
    );
    assert_eq!(
        layout_variance(&[]),
        Err(LayoutUntold::TooFew {
            layouts: 0,
            rounds: 0
        })
    );
    for bad in [
        block(&[1.0], &[]),
        block(&[0.0], &[1.0]),
        block(&[1.0], &[f64::NAN]),
    ] {
        assert_eq!(
            layout_variance(&[two.clone(), bad]),
            Err(LayoutUntold::Unusable { block: 1 })
        );
    }
}

fn known(variance: f64, layouts: u32) -> LayoutVariance {
    LayoutVariance {
        layouts,
        variance,
        low: 0.0,
        high: 1.0,
        noise: 0.0,
        p_value: 0.0,
    }
}

#[test]
fn layout_alone_is_symmetric_and_grows_with_either() {
    let (low, high) = layout_alone(&known(0.0002, 10_000), &known(0.0002, 10_000));
    // 1.96 · √0.0004 = 0.0392.
    assert!(
        (low * high - 1.0).abs() < 1e-12 && (high.ln() - 0.0392).abs() < 1e-4,
        "{low} {high}"
    );
    assert!(
        layout_alone(&known(0.0003, 14), &known(0.0002, 14)).1
            > layout_alone(&known(0.0002, 14), &known(0.0002, 14)).1
    );
    assert_eq!(layout_alone(&known(0.0, 14), &known(0.0, 14)), (1.0, 1.0));
}

/// Estimated from 14 layouts of each build, the range holds 95 % of fresh pairs.
#[test]
fn layout_alone_holds_a_fresh_pair() {
    let mut rng = SmallRng::seed_from_u64(5);
    let (sigma_base, sigma_new) = (0.02, 0.03);
    let (mut held, mut told) = (0, 0);
    for _ in 0..4000 {
        let base = layout_variance(&measured(14, 4, sigma_base, 0.005, &mut rng));
        let new = layout_variance(&measured(14, 4, sigma_new, 0.005, &mut rng));
        if let (Ok(base), Ok(new)) = (base, new) {
            let (low, high) = layout_alone(&base, &new);
            let pair = sigma_new * rng.sample::<f64, _>(StandardNormal)
                - sigma_base * rng.sample::<f64, _>(StandardNormal);
            told += 1;
            held += u32::from((low..=high).contains(&pair.exp()));
        }
    }
    let share = f64::from(held) / f64::from(told);
    assert!(
        told > 3900 && (share - 0.95).abs() < 0.013,
        "{share} of {told}"
    );
}

#[test]
fn better_than_counts_pairs_of_different_blocks() {
    // Pairs (base i, new j): (0,1) new 0.02 > 0.01 worse; (1,0) new −0.01 < 0.03 better.
    assert_eq!(
        better_than(&[0.01, 0.03], &[-0.01, 0.02], Better::Lower),
        Some(0.5)
    );
    assert_eq!(
        better_than(&[0.0, 0.0, 0.0], &[0.1, 0.1, 0.1], Better::Lower),
        Some(1.0)
    );
    assert_eq!(
        better_than(&[0.0, 0.0, 0.0], &[0.1, 0.1, 0.1], Better::Higher),
        Some(0.0)
    );
    assert_eq!(
        better_than(&[0.0, 0.0], &[0.0, 0.0], Better::Lower),
        Some(0.5)
    );
    assert_eq!(better_than(&[0.0], &[0.1], Better::Lower), None);
    assert_eq!(
        better_than(&[0.0, f64::NAN], &[0.1, 0.2], Better::Lower),
        None
    );
}

/// How many of 1,000 intervals of 95 % hold a ratio of spreads. Where nothing is said nothing is
/// wrong.
fn holding(base: f64, new: f64, noise: f64, layouts: usize) -> usize {
    let mut rng = SmallRng::seed_from_u64(7);
    let holds = |rng: &mut SmallRng| {
        let [first, second] = [base, new].map(|spread| measured(layouts, 4, spread, noise, rng));
        let Some(found) = spread_ratio(&first, &second, 0.05).expect("layouts that are enough")
        else {
            return true;
        };
        found.low <= new / base && found.high.is_none_or(|high| new / base <= high)
    };
    (0..1000).filter(|_| holds(&mut rng)).count()
}

#[test]
fn a_ratio_of_spreads_holds_the_truth() {
    // Equal spreads; a remedy that takes nine tenths away, and one that takes all; noise as large.
    // 95 % of 1,000 are 950, give or take 14 (two standard errors).
    for (base, new, noise, layouts) in [
        (0.02, 0.02, 0.004, 12),
        (0.05, 0.005, 0.002, 12),
        (0.05, 0.0, 0.004, 8),
        (0.01, 0.02, 0.01, 20),
    ] {
        let held = holding(base, new, noise, layouts);
        assert!((936..=1000).contains(&held), "{base} {new}: {held}");
        // Not for being endless: with 12 layouts or more, equal spreads are known to a factor.
        if new == base {
            assert!(held < 990, "{held}");
        }
    }
}

#[test]
fn a_ratio_of_spreads_says_what_the_noise_hides() {
    let mut rng = SmallRng::seed_from_u64(11);
    let wide = measured(12, 4, 0.05, 0.001, &mut rng);
    let still = measured(12, 4, 0.0, 0.001, &mut rng);
    let found = spread_ratio(&wide, &still, 0.05).unwrap().unwrap();
    assert!(found.low == 0.0 && found.estimate < 0.05, "{found:?}");
    assert!(found.high.unwrap() < 0.1, "{found:?}");
    // There is no upper bound of a ratio to what may be nothing.
    let over = spread_ratio(&still, &wide, 0.05).unwrap();
    assert!(over.is_none_or(|found| found.high.is_none() && found.low > 5.0));
    assert_eq!(
        spread_ratio(&wide[..2], &still, 0.05),
        Err(LayoutUntold::TooFew {
            layouts: 2,
            rounds: 8
        })
    );
}
