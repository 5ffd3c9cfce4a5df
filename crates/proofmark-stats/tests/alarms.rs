//! The alarm rate of a null test against counting every redraw, and against the promise.

use proofmark_stats::{Better, Looks, Margin, Rule, Verdict, alarm_rate};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;

fn rule(min: u32, max: u32) -> Rule {
    Rule::new(
        Looks::new(0.95, min, max, 1).expect("possible"),
        Margin::from_relative(0.01).expect("possible"),
        Better::Lower,
    )
}

fn blocks(count: usize, spread: f64, seed: u64) -> Vec<f64> {
    let mut rng = SmallRng::seed_from_u64(seed);
    (0..count)
        .map(|_| spread * rng.sample::<f64, _>(StandardNormal))
        .collect()
}

/// All 2¹² ways to draw the signs, against drawing them at random.
#[test]
fn redraws_find_the_share_of_all_sign_patterns() {
    let (rule, effects) = (rule(4, 12), blocks(12, 0.03, 1));
    let different = (0..1_u32 << 12)
        .filter(|signs| {
            let redrawn: Vec<f64> = effects
                .iter()
                .enumerate()
                .map(|(block, effect)| {
                    if signs >> block & 1 == 1 {
                        *effect
                    } else {
                        -effect
                    }
                })
                .collect();
            !matches!(
                rule.replay(&redrawn).expect("possible").look.verdict,
                Verdict::Equivalent | Verdict::Undecided
            )
        })
        .count();
    let exact = different as f64 / 4096.0;
    let rate =
        alarm_rate(&effects, &rule, 20_000, &mut SmallRng::seed_from_u64(2)).expect("possible");
    assert!(exact > 0.01 && rate.verdicts == 20_000, "{exact} {rate:?}");
    assert!(
        (rate.rate - exact).abs() < 0.006 && rate.low < rate.high,
        "{exact} {rate:?}"
    );
}

/// Over many null tests the rate is what the looks promise.
#[test]
fn the_rate_is_five_percent_on_average() {
    let rule = rule(8, 60);
    let mut rng = SmallRng::seed_from_u64(3);
    let rates: Vec<f64> = (0..300)
        .map(|seed| {
            alarm_rate(&blocks(60, 0.1, 100 + seed), &rule, 100, &mut rng)
                .expect("possible")
                .rate
        })
        .collect();
    let mean = rates.iter().sum::<f64>() / rates.len() as f64;
    assert!((mean - 0.05).abs() < 0.006, "{mean}");
}

/// A constant bias (a fixed order in the rounds) is no alarm here, because every sign is redrawn;
/// it is reported apart.
#[test]
fn signs_alone_do_not_show_a_bias_of_position() {
    let biased: Vec<f64> = blocks(60, 0.001, 4)
        .iter()
        .map(|effect| effect + 0.05)
        .collect();
    let rule = rule(8, 60);
    assert_eq!(
        rule.replay(&biased).expect("possible").look.verdict,
        Verdict::Slower
    );
    let rate = alarm_rate(&biased, &rule, 4000, &mut SmallRng::seed_from_u64(5)).expect("possible");
    assert!(rate.rate < 0.15, "{rate:?}");
}

/// Alarms inside the margin are alarms, and counted apart.
#[test]
fn negligible_alarms_are_counted_apart() {
    let count = |spread| {
        let rate = alarm_rate(
            &blocks(20, spread, 12),
            &rule(4, 20),
            3000,
            &mut SmallRng::seed_from_u64(13),
        )
        .expect("possible");
        (rate.negligible, rate.alarms)
    };
    let (negligible, alarms) = count(0.008);
    assert!(
        0 < negligible && negligible < alarms,
        "a spread about the margin: {negligible} of {alarms}"
    );
    let (negligible, alarms) = count(0.5);
    assert!(
        negligible == 0 && alarms > 0,
        "a spread far outside the margin: {negligible} of {alarms}"
    );
}

#[test]
fn more_blocks_than_looks_are_further_stretches() {
    let rule = rule(8, 20);
    let rate = |count| {
        alarm_rate(
            &blocks(count, 0.001, 6),
            &rule,
            10,
            &mut SmallRng::seed_from_u64(7),
        )
        .expect("possible")
    };
    assert_eq!(rate(65).verdicts, 30);
    assert_eq!(rate(20).verdicts, 10);
    assert_eq!(
        rate(12).verdicts,
        10,
        "fewer blocks than the last look are one stretch"
    );
}

#[test]
fn a_set_up_without_noise_never_alarms() {
    let rate = alarm_rate(
        &[0.0; 20],
        &rule(8, 20),
        50,
        &mut SmallRng::seed_from_u64(8),
    )
    .expect("possible");
    assert_eq!((rate.alarms, rate.rate, rate.low), (0, 0.0, 0.0));
    // The rule of three, exactly: 1 − 0.025^(1/50).
    assert!((rate.high - 0.071_12).abs() < 1e-4, "{rate:?}");
}

#[test]
fn nothing_to_replay_is_none() {
    let mut rng = SmallRng::seed_from_u64(9);
    assert_eq!(alarm_rate(&[0.1; 7], &rule(8, 20), 10, &mut rng), None);
    assert_eq!(alarm_rate(&[], &rule(8, 20), 10, &mut rng), None);
    assert_eq!(alarm_rate(&[0.1; 20], &rule(8, 20), 0, &mut rng), None);
    assert_eq!(
        alarm_rate(&[f64::NAN; 20], &rule(8, 20), 10, &mut rng),
        None
    );
}
