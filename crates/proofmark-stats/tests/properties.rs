//! What holds for any blocks whatever.

use std::sync::LazyLock;

use proofmark_stats::{
    Anchored, Better, Looks, Margin, RoundCosts, Rule, Verdict, alarm_rate, better_than,
    block_effect, blocks_needed, check, geometric_mean, layout_alone, layout_variance, median,
    position_bias, resolvable, rounds_per_block, shift, spread,
};
use proptest::collection::vec;
use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::SmallRng;

/// Numbers of every kind, the impossible ones included.
fn anything() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>(),
        -0.1..0.1,
        Just(0.0),
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::MAX),
        Just(f64::MIN_POSITIVE)
    ]
}

/// Positive numbers of every size.
fn positive() -> impl Strategy<Value = f64> {
    prop_oneof![
        0.9..1.1,
        any::<f64>()
            .prop_map(f64::abs)
            .prop_filter("a number", |value| *value > 0.0 && value.is_finite())
    ]
}

/// A long design that the table does not have, solved once.
static LONG: LazyLock<Looks> = LazyLock::new(|| Looks::new(0.95, 4, 190, 1).expect("possible"));

fn rule() -> Rule {
    Rule::new(
        Looks::new(0.95, 3, 20, 1).expect("possible"),
        Margin::from_relative(0.01).expect("possible"),
        Better::Lower,
    )
}

fn mirrored(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Faster => Verdict::Slower,
        Verdict::Slower => Verdict::Faster,
        Verdict::FasterButNegligible => Verdict::SlowerButNegligible,
        Verdict::SlowerButNegligible => Verdict::FasterButNegligible,
        same @ (Verdict::Equivalent | Verdict::Undecided) => same,
    }
}

proptest! {
    #[test]
    fn swapping_the_builds_mirrors_interval_and_verdict(effects in vec(-0.1..0.1, 3..=20), widening in 0.0..0.01) {
        let rule = rule().widened(widening);
        let swapped: Vec<f64> = effects.iter().map(|effect| -effect).collect();
        let (one, other) = (rule.replay(&effects).expect("possible"), rule.replay(&swapped).expect("possible"));
        prop_assert_eq!(one.blocks, other.blocks);
        prop_assert_eq!(one.look.interval.low.ln(), -other.look.interval.high.ln());
        prop_assert_eq!(one.look.interval.estimate.ln(), -other.look.interval.estimate.ln());
        prop_assert_eq!(one.look.verdict, mirrored(other.look.verdict));
    }

    #[test]
    fn a_metric_that_is_better_higher_mirrors_the_verdict(effects in vec(-0.1..0.1, 3..=20)) {
        let margin = Margin::from_relative(0.01).expect("possible");
        let higher = Rule::new(rule().looks().clone(), margin, Better::Higher);
        prop_assert_eq!(rule().replay(&effects).expect("possible").look.verdict, mirrored(higher.replay(&effects).expect("possible").look.verdict));
    }

    #[test]
    fn an_interval_does_not_know_the_order_of_its_blocks(effects in vec(-0.1..0.1, 3..=20)) {
        let looks = rule().looks().clone();
        let mut sorted = effects.clone();
        sorted.sort_by(f64::total_cmp);
        let (one, other) = (looks.interval(&effects).expect("possible"), looks.interval(&sorted).expect("possible"));
        prop_assert!((one.low.ln() - other.low.ln()).abs() < 1e-12 && (one.high.ln() - other.high.ln()).abs() < 1e-12);
    }

    #[test]
    fn more_confidence_is_a_wider_interval(effects in vec(-0.1..0.1, 3..=20)) {
        let wider = Looks::new(0.99, 3, 20, 1).expect("possible").interval(&effects).expect("possible");
        let narrower = rule().looks().interval(&effects).expect("possible");
        prop_assert!(wider.low <= narrower.low && narrower.high <= wider.high);
    }

    #[test]
    fn a_constant_moves_the_interval_and_a_factor_scales_it(effects in vec(-0.1..0.1, 3..=20), by in -1.0_f64..1.0, factor in 0.1_f64..10.0) {
        let looks = rule().looks().clone();
        let original = looks.interval(&effects).expect("possible");
        let changed = looks.interval(&effects.iter().map(|effect| factor * effect + by).collect::<Vec<_>>()).expect("possible");
        prop_assert!((changed.low.ln() - (factor * original.low.ln() + by)).abs() < 1e-9);
        prop_assert!((changed.high.ln() - (factor * original.high.ln() + by)).abs() < 1e-9);
    }

    #[test]
    fn a_replay_is_the_first_look_that_stops(effects in vec(-0.03..0.03, 3..=30), precision in proptest::option::of(0.002..0.05)) {
        let rule = match precision { Some(precision) => rule().precise(precision), None => rule() };
        let replay = rule.replay(&effects).expect("possible");
        let within = &effects[..effects.len().min(20)];
        let first = (3..=within.len()).find(|&n| rule.look(&within[..n]).expect("possible").stop);
        prop_assert_eq!(replay.decided_after().map(|n| n as usize), first);
        prop_assert_eq!(replay.look, rule.look(&effects[..replay.blocks as usize]).expect("possible"));
    }

    #[test]
    fn swapping_the_arms_negates_a_block(rounds in vec((0.1..10.0, 0.1..10.0), 1..10)) {
        let (new, base): (Vec<f64>, Vec<f64>) = rounds.into_iter().unzip();
        prop_assert!((block_effect(&new, &base).expect("possible") + block_effect(&base, &new).expect("possible")).abs() < 1e-12);
    }

    #[test]
    fn a_larger_spread_resolves_less_and_more_blocks_more(spread in 1e-5..0.1, blocks in 3_u32..20) {
        let looks = rule().looks().clone();
        prop_assert!(resolvable(spread * 1.1, blocks, &looks) > resolvable(spread, blocks, &looks));
        prop_assert!(resolvable(spread, blocks + 1, &looks) < resolvable(spread, blocks, &looks));
    }

    #[test]
    fn the_blocks_needed_decide_and_one_less_does_not(mean in -0.03_f64..0.03, spread in 1e-4_f64..0.05) {
        // n blocks with exactly this mean and sample spread, n even: mean ± spread·√((n−1)÷n).
        let blocks_of = |n: u32| -> Vec<f64> {
            let away = spread * ((f64::from(n) - 1.0) / f64::from(n)).sqrt();
            (0..n).map(|block| mean + if block % 2 == 0 { away } else { -away }).collect()
        };
        let rule = Rule::new(LONG.clone(), Margin::from_relative(0.01).expect("possible"), Better::Lower);
        if let Some(needed) = blocks_needed(&blocks_of(4), &rule) && needed <= 188 {
            let even = needed.next_multiple_of(2);
            prop_assert!(rule.look(&blocks_of(even)).expect("possible").stop, "{} blocks should do", even);
            if needed > 6 {
                let fewer = (needed - 1) / 2 * 2;
                prop_assert!(!rule.look(&blocks_of(fewer)).expect("possible").stop, "{} blocks should not do, {} are needed", fewer, needed);
            }
        }
    }

    #[test]
    fn every_pair_is_better_or_worse(base in vec(-0.1..0.1, 1..10), new in vec(-0.1..0.1, 1..10)) {
        let lower = better_than(&base, &new, Better::Lower);
        let higher = better_than(&base, &new, Better::Higher);
        prop_assert_eq!(lower.is_some(), base.len() > 1 || new.len() > 1);
        prop_assert!(lower.zip(higher).is_none_or(|(lower, higher)| (lower + higher - 1.0).abs() < 1e-12));
    }

    #[test]
    fn nothing_panics_and_nothing_is_nan(
        values in vec(anything(), 0..30), others in vec(anything(), 0..30), seed: u64,
        nested in prop_oneof![vec(vec(anything(), 0..5), 0..12), vec(vec(positive(), 3), 3..12)], by in anything(), count: u32,
    ) {
        let sound = |number: Option<f64>| number.is_none_or(|number| !number.is_nan());
        let rule = rule().widened(by);
        prop_assert!(sound(median(&values)) && sound(spread(&values)));
        if let Ok(effect) = block_effect(&values, &others) {
            prop_assert!(effect.is_finite());
        }
        if let Some(look) = rule.replay(&values).map(|replay| replay.look) {
            prop_assert!(look.interval.low <= look.interval.estimate && look.interval.estimate <= look.interval.high);
        }
        if let Some(shift) = shift(&values, &others) {
            prop_assert!(shift.watched(rule.margin()) >= 0.0 && shift.half_width >= 0.0);
        }
        if let Some(rate) = alarm_rate(&values, &rule, 3, &mut SmallRng::seed_from_u64(seed)) {
            prop_assert!(rate.low <= rate.rate && rate.rate <= rate.high);
        }
        prop_assert!(sound(better_than(&values, &others, Better::Higher)));
        prop_assert!(blocks_needed(&values, &rule).is_none_or(|needed| needed as usize >= values.len()));
        prop_assert!(!resolvable(by.abs().min(1e300), count, rule.looks()).is_nan());
        prop_assert!(check(&values).len() <= 2);
        prop_assert_eq!(geometric_mean(&nested).is_some(), !nested.is_empty() && nested.iter().all(|effects| effects.len() == nested[0].len()));
        if let Ok(bias) = position_bias(&nested) {
            prop_assert!((0.0..=1.0).contains(&bias.p_value) && !bias.range().is_nan());
        }
        if let Ok(advice) = rounds_per_block(&nested, RoundCosts { block: by, round: 1.0 }, count) {
            prop_assert!(advice.rounds >= 1 && advice.rounds <= count.max(1));
        }
        let anchored: Vec<Anchored> = nested.iter().map(|drawn| Anchored { drawn: drawn.clone(), shipped: drawn.iter().map(|value| value / 2.0).collect() }).collect();
        if let Ok(layouts) = layout_variance(&anchored) {
            let (low, high) = layout_alone(&layouts, &layouts);
            prop_assert!(low <= 1.0 && 1.0 <= high && layouts.low <= layouts.variance && layouts.variance <= layouts.high);
        }
    }
}
