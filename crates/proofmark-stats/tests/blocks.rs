//! The effect of a block and what describes several.

use proofmark_stats::{BlockError, block_effect, geometric_mean, ln_mean, median, spread};

#[test]
fn the_effect_is_the_mean_of_the_rounds_log_ratios() {
    let effect = block_effect(&[2.0, 8.0], &[1.0, 2.0]).unwrap();
    assert!((effect - 1.5 * 2.0_f64.ln()).abs() < 1e-15);
}

/// Each round has its own disturbance, the same for both arms: the pairs do not see it, a ratio of
/// medians does.
#[test]
fn what_a_round_shares_cancels() {
    let base = [1.0, 3.0, 0.2, 50.0, 7.0];
    let new = base.map(|value| value * 1.02);
    assert!((block_effect(&new, &base).unwrap() - 1.02_f64.ln()).abs() < 1e-15);
}

#[test]
fn ratios_beyond_every_number_are_still_effects() {
    assert!((block_effect(&[f64::MAX], &[f64::MIN_POSITIVE]).unwrap() - 1418.18).abs() < 0.01);
}

#[test]
fn runs_that_make_no_effect_are_errors() {
    assert_eq!(block_effect(&[], &[]), Err(BlockError::Empty));
    assert_eq!(
        block_effect(&[1.0], &[1.0, 2.0]),
        Err(BlockError::Unpaired { new: 1, base: 2 })
    );
    for value in [0.0, -1.0, f64::INFINITY] {
        assert_eq!(
            block_effect(&[1.0, value], &[1.0, 1.0]),
            Err(BlockError::NotPositive { round: 1, value })
        );
        assert_eq!(
            block_effect(&[1.0, 1.0], &[value, 1.0]),
            Err(BlockError::NotPositive { round: 0, value })
        );
    }
    assert!(matches!(
        block_effect(&[f64::NAN], &[1.0]),
        Err(BlockError::NotPositive { round: 0, .. })
    ));
}

#[test]
fn a_mean_of_logarithms_is_the_logarithm_of_the_geometric_mean() {
    let mean = ln_mean(&[2.0, 8.0]).unwrap();
    assert!((mean - 4.0_f64.ln()).abs() < 1e-15, "{mean}");
    for none in [&[][..], &[1.0, 0.0], &[1.0, -1.0], &[1.0, f64::INFINITY]] {
        assert_eq!(ln_mean(none), None, "{none:?}");
    }
}

#[test]
fn medians_and_spreads() {
    assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
    assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
    assert_eq!(median(&[]), None);
    assert_eq!(median(&[1.0, f64::NAN]), None);
    // Sample variance of 2, 4, 4, 4, 5, 5, 7, 9 is 32 ÷ 7.
    assert!(
        (spread(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap() - (32.0_f64 / 7.0).sqrt())
            .abs()
            < 1e-15
    );
    assert_eq!(spread(&[1.0]), None);
    assert_eq!(spread(&[1.0, f64::INFINITY]), None);
}

#[test]
fn a_small_spread_about_a_large_mean_is_not_lost() {
    let spread = spread(&[1e9 + 1.0, 1e9 + 2.0, 1e9 + 3.0]).unwrap();
    assert!((spread - 1.0).abs() < 1e-9, "{spread}");
}

#[test]
fn a_suite_is_averaged_block_by_block() {
    let suite = geometric_mean(&[vec![0.1, 0.2], vec![0.3, 0.0]]).unwrap();
    assert!((suite[0] - 0.2).abs() < 1e-15 && (suite[1] - 0.1).abs() < 1e-15 && suite.len() == 2);
    // √(1.1 · 0.9) is the geometric mean of two ratios.
    let ratios = geometric_mean(&[vec![1.1_f64.ln()], vec![0.9_f64.ln()]]).unwrap();
    assert!((ratios[0].exp() - (1.1_f64 * 0.9).sqrt()).abs() < 1e-15);
    assert_eq!(geometric_mean(&[]), None);
    assert_eq!(geometric_mean(&[vec![0.1], vec![0.1, 0.2]]), None);
}
