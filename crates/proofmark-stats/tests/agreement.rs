//! Whether two machines agree, against tables and against a known truth.

use proofmark_stats::{
    Agreement, Better, Effect, Interval, Looks, Margin, Measured, Rule, difference,
};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand_distr::{Distribution, Normal};

fn measured(mean: f64, spread: f64, blocks: u32) -> Measured {
    Measured {
        mean,
        spread,
        blocks,
        widening: 0.0,
        nominal_alpha: 0.05,
    }
}

/// Two samples of 15 with variances 6.1 and 8.4, computed by hand: error² = 6.1/15 + 8.4/15,
/// ν = 27.31; tables have t(0.975) = 2.0518 for 27 and 2.0484 for 28.
#[test]
fn the_interval_is_that_of_welch() {
    let (one, other) = (
        measured(1.0, 6.1_f64.sqrt(), 15),
        measured(4.0, 8.4_f64.sqrt(), 15),
    );
    let found = difference(&one, &other).unwrap();
    let error = (6.1_f64 / 15.0 + 8.4 / 15.0).sqrt();
    assert!((found.estimate.ln() - 3.0).abs() < 1e-12);
    let times = (found.high.ln() - 3.0) / error;
    assert!((times - 2.0507).abs() < 2e-4, "{times}");
    let widened = Measured {
        widening: 0.25,
        ..other
    };
    let wider = difference(&one, &widened).unwrap();
    assert!((wider.half_width() - found.half_width() - 0.25).abs() < 1e-12);
    let careful = Measured {
        nominal_alpha: 0.0064,
        ..other
    };
    assert!(difference(&one, &careful).unwrap().half_width() > found.half_width());
    let exact = difference(&measured(0.1, 0.0, 2), &measured(0.1, 0.0, 2)).unwrap();
    assert_eq!(exact.half_width(), 0.0);
    for broken in [
        measured(0.0, 1.0, 1),
        measured(f64::NAN, 1.0, 9),
        measured(0.0, f64::INFINITY, 9),
    ] {
        assert_eq!(difference(&one, &broken), None);
    }
}

#[test]
fn every_word_at_its_place() {
    let margin = Margin::from_relative(0.01).unwrap();
    let of = |low: f64, high: f64| {
        let interval = Interval {
            estimate: Effect::from_ln(f64::midpoint(low, high)),
            low: Effect::from_ln(low),
            high: Effect::from_ln(high),
        };
        Agreement::of(&interval, margin)
    };
    assert_eq!(of(-0.009, 0.009), Agreement::Agree);
    assert_eq!(of(0.001, 0.009), Agreement::Agree);
    assert_eq!(of(0.001, 0.011), Agreement::Disagree);
    assert_eq!(of(-0.05, -0.001), Agreement::Disagree);
    assert_eq!(of(-0.011, 0.009), Agreement::Undecided);
    assert_eq!(of(0.0, 0.03), Agreement::Undecided);
}

/// Mean, spread and number of the blocks after which a machine stops by itself.
fn stopped(rule: &Rule, truth: f64, noise: f64, random: &mut SmallRng) -> Measured {
    let normal = Normal::new(truth, noise).unwrap();
    let mut effects: Vec<f64> = Vec::new();
    loop {
        effects.push(normal.sample(random));
        let look = rule.look(&effects);
        let blocks = u32::try_from(effects.len()).unwrap();
        if look.is_some_and(|look| look.stop) || blocks == rule.looks().max() {
            let mean = effects.iter().sum::<f64>() / f64::from(blocks);
            return Measured {
                mean,
                spread: proofmark_stats::spread(&effects).unwrap(),
                blocks,
                widening: 0.0,
                nominal_alpha: rule.looks().nominal_alpha(),
            };
        }
    }
}

/// Both machines stop as soon as they have decided, and the truth is the same on both, or not.
#[test]
fn machines_with_one_truth_are_hardly_ever_said_to_disagree() {
    let margin = Margin::from_relative(0.01).unwrap();
    let looks = Looks::new(0.95, 8, 60, 1).unwrap();
    let rule = Rule::new(looks, margin, Better::Lower);
    let mut random = SmallRng::seed_from_u64(7);
    for truth in [0.0, 0.01, 0.03, 0.2] {
        for (one, other) in [(0.01, 0.01), (0.005, 0.02), (0.03, 0.03)] {
            let (mut wrong, mut missed) = (0, 0);
            for _ in 0..1000 {
                let first = stopped(&rule, truth, one, &mut random);
                let same = stopped(&rule, truth, other, &mut random);
                let apart = difference(&first, &same).unwrap();
                wrong += u32::from(Agreement::of(&apart, margin) == Agreement::Disagree);
                let off = stopped(&rule, truth + 0.02, other, &mut random);
                let apart = difference(&first, &off).unwrap();
                missed += u32::from(Agreement::of(&apart, margin) == Agreement::Agree);
            }
            // 5 % and three and a half standard errors.
            assert!(
                wrong <= 74,
                "{truth} {one} {other}: {wrong} of 1000 disagree"
            );
            assert!(
                missed <= 74,
                "{truth} {one} {other}: {missed} of 1000 agree"
            );
        }
    }
}
