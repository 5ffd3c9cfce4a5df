//! Interval and verdict on simulated blocks with a known truth, each beside what is promised.

use crate::known_truth::{Noise, Tally, run};
use proofmark_stats::{Better, Looks, Margin, Rule, resolvable};
use rand::SeedableRng;
use rand::rngs::SmallRng;

const PATHS: u32 = 6000;

fn rule() -> Rule {
    let margin = Margin::from_relative(0.01).expect("a possible margin");
    Rule::new(
        Looks::new(0.95, 8, 60, 1).expect("a possible design"),
        margin,
        Better::Lower,
    )
}

/// Effect and spread in margins.
fn tally(noise: Noise, effect: f64, spread: f64) -> Tally {
    let rule = rule();
    run(
        &rule,
        noise,
        effect * rule.margin().ln(),
        spread * rule.margin().ln(),
        PATHS,
        21,
    )
}

/// 5 % and three and a half standard errors.
const AT_MOST: f64 = 0.05 + 3.5 * 0.0029;

#[test]
fn the_promise_holds_for_noise_that_takes_no_side() {
    let noises = [
        Noise::Normal,
        Noise::T3,
        Noise::OffBothSides(0.01),
        Noise::OffBothSides(0.05),
        Noise::OffBothSides(0.1),
        Noise::Bursts,
        Noise::PositionRandom(0.5),
    ];
    for noise in noises {
        for spread in [0.5, 1.0, 3.0] {
            for effect in [-2.0, -1.0, 0.0, 1.0, 2.0] {
                let said = tally(noise, effect, spread);
                let case = format!("{noise:?}, effect {effect}, spread {spread}: {said:?}");
                assert!(said.coverage() > 1.0 - AT_MOST, "truth missed: {case}");
                assert!(
                    effect != 0.0 || said.different() < AT_MOST,
                    "false alarms: {case}"
                );
                assert!(
                    effect.abs() < 1.0 || said.inside() < AT_MOST,
                    "called inside the margin: {case}"
                );
                let wrong_way = if effect > 0.0 {
                    said.faster
                } else {
                    said.slower
                };
                assert!(
                    effect == 0.0 || said.share(wrong_way) < 0.025,
                    "wrong way: {case}"
                );
            }
        }
    }
}

/// Not only at most 5 %: with normal blocks that never end early it is 5 %, or the intervals would
/// be wider than they need be.
#[test]
fn normal_blocks_use_the_level_up() {
    let said = tally(Noise::Normal, 0.0, 30.0);
    assert!((said.different() - 0.05).abs() < 3.5 * 0.0029, "{said:?}");
    assert!(
        (1.0 - said.coverage() - said.different()).abs() < 1e-12,
        "without an effect the two are one: {said:?}"
    );
}

/// Effect ÷ spread, what is found at least, and the mean number of blocks (the table of
/// `docs/methods.md`).
#[test]
fn effects_are_found_in_as_many_blocks_as_documented() {
    for (ratio, found, blocks) in [
        (0.5, 0.89, 30.7),
        (0.75, 0.995, 17.5),
        (1.0, 0.999, 12.3),
        (2.0, 0.999, 8.1),
    ] {
        let said = tally(Noise::Normal, ratio * 3.0, 3.0);
        assert!(
            said.share(said.slower) > found && (said.mean_blocks() - blocks).abs() < 1.0,
            "effect {ratio} spreads: {said:?}"
        );
    }
}

#[test]
fn equal_builds_are_called_equivalent() {
    let narrow = tally(Noise::Normal, 0.0, 0.5);
    assert!(
        narrow.inside() > 0.99 && narrow.mean_blocks() < 9.0,
        "{narrow:?}"
    );
    let wide = tally(Noise::Normal, 0.0, 3.0);
    assert!(
        wide.share(wide.undecided) > 0.85,
        "three margins of spread are too much for 60 blocks: {wide:?}"
    );
}

/// Effects of twice the margin, spread of three margins, of the sign that fares worse: how often
/// they are found, and how often the truth is missed (the table of `docs/methods.md`).
#[test]
fn effects_beside_each_noise_are_found_as_documented() {
    let documented = [
        (Noise::Normal, 0.994, 0.005),
        (Noise::T3, 0.989, 0.004),
        (Noise::OffBothSides(0.01), 0.932, 0.005),
        (Noise::OffBothSides(0.05), 0.665, 0.003),
        (Noise::OffBothSides(0.1), 0.428, 0.003),
        (Noise::Bursts, 0.786, 0.005),
        (Noise::PositionRandom(0.5), 0.990, 0.006),
        (Noise::Skewed(1.0), 0.985, 0.014),
        (Noise::Skewed(2.0), 0.978, 0.038),
        (Noise::BadLayouts(0.05), 0.448, 0.029),
        (Noise::Disturbed(0.05), 0.429, 0.030),
        (Noise::Disturbed(0.1), 0.185, 0.240),
        (Noise::BurstsInOneArm, 0.876, 0.047),
        (Noise::Drift(2.0), 0.943, 0.186),
        (Noise::Correlated(0.2), 0.983, 0.018),
        (Noise::PositionFixed(0.5), 0.160, 0.786),
    ];
    for (noise, found, missed) in documented {
        let [plus, minus] = [2.0, -2.0].map(|effect| tally(noise, effect, 3.0));
        let right = plus.share(plus.slower).min(minus.share(minus.faster));
        let wrong = 1.0 - plus.coverage().min(minus.coverage());
        assert!((right - found).abs() < 0.02, "{noise:?}: found {right}");
        assert!((wrong - missed).abs() < 0.02, "{noise:?}: missed {wrong}");
    }
}

/// Where the promise does not hold, as documented: how often the truth is missed, no effect, spread
/// of three margins.
#[test]
fn where_the_promise_fails_it_fails_as_documented() {
    let documented = [
        (Noise::Skewed(1.0), 0.072),
        (Noise::Skewed(2.0), 0.139),
        (Noise::BadLayouts(0.05), 0.189),
        (Noise::BadLayouts(0.1), 0.253),
        (Noise::Disturbed(0.1), 0.306),
        (Noise::BurstsInOneArm, 0.201),
        (Noise::Drift(1.0), 0.245),
        (Noise::Correlated(0.1), 0.085),
        (Noise::Correlated(0.2), 0.133),
        (Noise::Correlated(0.4), 0.290),
        (Noise::PositionFixed(0.5), 0.907),
    ];
    for (noise, missed) in documented {
        let said = tally(noise, 0.0, 3.0);
        assert!(
            (1.0 - said.coverage() - missed).abs() < 0.02,
            "{noise:?}, documented {missed}: {said:?}"
        );
    }
}

#[test]
fn blocks_that_break_the_assumptions_are_doubted_more_than_those_that_keep_them() {
    let doubted = |noise, effect| {
        let said = tally(noise, effect, 3.0);
        said.share(said.doubted)
    };
    assert!(doubted(Noise::Normal, 0.0) < 0.02);
    assert!(doubted(Noise::Correlated(0.4), 0.0) > 0.5);
    assert!(doubted(Noise::Disturbed(0.1), 0.0) > 0.8);
}

/// Stopping at a verdict overstates an effect; stopping at a width does not.
#[test]
fn stopping_on_the_width_does_not_overstate() {
    let truth = 0.01;
    let mean_estimate = |rule: &Rule| {
        let mut rng = SmallRng::seed_from_u64(5);
        let mut blocks = [0.0; 60];
        let mut sum = 0.0;
        for _ in 0..PATHS {
            Noise::Normal.fill(&mut blocks, &mut rng);
            let replay = rule
                .replay(&blocks.map(|noise| truth + 0.02 * noise))
                .expect("enough blocks");
            sum += replay.look.interval.estimate.ln();
        }
        sum / f64::from(PATHS)
    };
    let (on_verdict, on_width) = (mean_estimate(&rule()), mean_estimate(&rule().precise(0.01)));
    assert!((on_width - truth).abs() < 0.0002, "{on_width}");
    assert!(on_verdict > truth * 1.08, "{on_verdict}");
    let said = run(&rule().precise(0.01), Noise::Normal, truth, 0.02, PATHS, 8);
    assert!(
        said.coverage() > 0.95 && said.mean_blocks() < 50.0,
        "{said:?}"
    );
}

/// The effect called resolvable is found with the documented power, and one of half its size is
/// not.
#[test]
fn resolvable_effects_are_resolved() {
    let spread = 0.03;
    for blocks in [8, 20, 60] {
        let looks = Looks::new(0.95, 8, blocks, 1).expect("a possible design");
        let effect = resolvable(spread, blocks, &looks).ln_1p();
        let rule = Rule::new(looks, rule().margin(), Better::Lower);
        let power = |effect| {
            let said = run(&rule, Noise::Normal, effect, spread, PATHS, 9);
            said.share(said.slower)
        };
        let (at, half) = (power(effect), power(effect / 2.0));
        assert!(
            (0.79..0.90).contains(&at) && half < 0.45,
            "{blocks} blocks: {at} at the effect, {half} at half of it"
        );
    }
}

/// 8 % slower, and a gate that asks about 5 %: a verdict alone says nothing of that. Going on until
/// the gate is decided costs no error.
#[test]
fn what_a_gate_asks_is_decided_and_the_promise_holds() {
    let (truth, spread, ratio) = (0.08_f64.ln_1p(), 0.045, 1.05);
    let of = |rule: &Rule| {
        let mut rng = SmallRng::seed_from_u64(12);
        let (mut beyond, mut covered) = (0, 0);
        for _ in 0..PATHS {
            let mut effects = [0.0; 60];
            Noise::Normal.fill(&mut effects, &mut rng);
            let effects = effects.map(|noise| truth + spread * noise);
            let look = rule.replay(&effects).expect("enough blocks").look;
            assert!(!look.stop || !look.interval.holds(ratio) || *rule == self::rule());
            beyond += u32::from(look.interval.low.ratio() > ratio);
            covered +=
                u32::from(look.interval.low.ln() <= truth && truth <= look.interval.high.ln());
        }
        [beyond, covered].map(|count| f64::from(count) / f64::from(PATHS))
    };
    let [by_verdict, _] = of(&rule());
    let [by_gate, coverage] = of(&rule().asking(vec![ratio]));
    assert!(by_verdict < 0.3 && by_gate > 0.9, "{by_verdict}, {by_gate}");
    assert!(coverage > 1.0 - AT_MOST, "{coverage}");
}

/// Four builds against one base share the level.
#[test]
fn several_comparisons_share_the_level() {
    let rule = Rule::new(
        Looks::new(0.95, 8, 60, 4).expect("a possible design"),
        rule().margin(),
        Better::Lower,
    );
    let said = run(&rule, Noise::Normal, 0.0, 0.3, 4 * PATHS, 10);
    assert!(
        (said.different() - 0.05 / 4.0).abs() < 3.5 * 0.00072,
        "{said:?}"
    );
}
