//! Claims against several baselines, judged and simulated.

use proofmark_stats::{AtLeast, Better, Effect, Holds, Interval, Looks, Margin, Standing};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand_distr::{Distribution, Normal};

fn between(low: f64, high: f64) -> Interval {
    Interval {
        estimate: Effect::from_ln(f64::midpoint(low, high)),
        low: Effect::from_ln(low),
        high: Effect::from_ln(high),
    }
}

fn at_least(gain: f64, better: Better) -> AtLeast {
    AtLeast {
        gain,
        better,
        margin: Margin::from_relative(0.01).expect("a possible margin"),
    }
}

#[test]
fn an_interval_holds_a_claim_fails_it_or_leaves_it_open() {
    let gain = 1.05_f64.ln();
    let five = at_least(0.05, Better::Lower);
    // new ÷ base below 1 is a gain in time.
    assert_eq!(five.judge(&between(-0.10, -gain)), Holds::Yes);
    assert_eq!(five.judge(&between(-0.10, -gain + 1e-9)), Holds::Open);
    assert_eq!(five.judge(&between(-gain + 1e-9, 0.3)), Holds::No);
    assert_eq!(five.judge(&between(0.05, 0.06)), Holds::No);
    let more = at_least(0.05, Better::Higher);
    assert_eq!(more.judge(&between(gain, 0.1)), Holds::Yes);
    assert_eq!(more.judge(&between(-0.10, -0.06)), Holds::No);
    // "Faster at all": no change is refuted by lying inside the margin, which no number of blocks
    // would do otherwise.
    let faster = at_least(0.0, Better::Lower);
    assert_eq!(faster.judge(&between(-0.004, 0.004)), Holds::No);
    assert_eq!(faster.judge(&between(-0.02, 0.004)), Holds::Open);
    assert_eq!(faster.judge(&between(-0.004, -0.001)), Holds::Yes);
}

/// Twice as fast on one benchmark and half as fast on the other: the mean of the logarithms of 0.5
/// and 2 may be a rounding error off zero.
#[test]
fn what_rounding_leaves_is_no_gain_and_takes_none_away() {
    for better in [Better::Lower, Better::Higher] {
        let faster = at_least(0.0, better);
        for left in [-2.2e-16, 0.0, 2.2e-16, -1e-13, 1e-13] {
            assert_eq!(faster.judge(&between(left, left)), Holds::No, "{left}");
        }
    }
    // 100 against 80 is 25 % exactly, whichever way the two logarithms are rounded.
    let quarter = at_least(0.25, Better::Lower);
    for off in [-2.2e-16, 0.0, 2.2e-16] {
        let effect = (80.0_f64 / 100.0).ln() + off;
        assert_eq!(quarter.judge(&between(effect, effect)), Holds::Yes, "{off}");
    }
}

#[test]
fn a_claim_is_robust_only_against_each_baseline() {
    use Holds::{No, Open, Yes};
    assert_eq!(Standing::of(&[Yes, Yes], &[Yes, Open]), Standing::Robust);
    assert_eq!(Standing::of(&[No, No], &[Open, Open]), Standing::Refuted);
    assert_eq!(
        Standing::of(&[Yes, No, Open], &[Yes, No, Open]),
        Standing::BaselineDependent
    );
    assert_eq!(Standing::of(&[Yes, No], &[Yes, Open]), Standing::Undecided);
    assert_eq!(
        Standing::of(&[Yes, Open], &[Yes, Open]),
        Standing::Undecided
    );
    // It fails against one for sure: not robust, whatever the other will show.
    let open = Standing::of(&[No, Open], &[No, Open]);
    assert_eq!(open, Standing::NotRobust);
    assert!(!open.is_decided());
    assert_eq!(Standing::of(&[No, Yes], &[No, Open]), Standing::NotRobust);
    assert_eq!(Standing::of(&[], &[]), Standing::Undecided);
}

/// How often a claim with a true gain against each of three baselines gets each standing, looking
/// after each block.
fn simulated(gains: [f64; 3], seed: u64) -> [u32; 5] {
    const PATHS: u32 = 4000;
    let alone = Looks::new(0.95, 8, 30, 1).expect("a possible design");
    let together = Looks::new(0.95, 8, 30, 3).expect("a possible design");
    let claim = at_least(0.05, Better::Lower);
    let noise = Normal::new(0.0, 0.02).expect("a possible spread");
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut counts = [0; 5];
    for _ in 0..PATHS {
        let mut effects: [Vec<f64>; 3] = Default::default();
        let mut standing = Standing::Undecided;
        for _ in 0..30 {
            // The new build's noise is in all three.
            let shared = noise.sample(&mut rng);
            for (effects, gain) in effects.iter_mut().zip(gains) {
                effects.push(-gain.ln_1p() + shared + 0.7 * noise.sample(&mut rng));
            }
            let judge = |looks: &Looks| -> Option<Vec<Holds>> {
                let judged = |effects: &Vec<f64>| Some(claim.judge(&looks.interval(effects)?));
                effects.iter().map(judged).collect()
            };
            if let (Some(alone), Some(together)) = (judge(&alone), judge(&together)) {
                standing = Standing::of(&alone, &together);
                if standing.is_decided() {
                    break;
                }
            }
        }
        counts[match standing {
            Standing::Robust => 0,
            Standing::BaselineDependent => 1,
            Standing::Refuted => 2,
            Standing::NotRobust => 3,
            Standing::Undecided => 4,
        }] += 1;
    }
    counts
}

#[test]
fn wrong_standings_are_as_rare_as_promised() {
    // 5 % of 4000 and three and a half standard errors.
    const AT_MOST: u32 = 200 + 49;
    // One baseline is the claim's own edge, seen from below: "robust" is wrong.
    let [robust, ..] = simulated([0.2, 0.2, 0.0499], 1);
    assert!(robust < AT_MOST, "{robust}");
    // All hold, two with room: none of "refuted", "depends" and "not robust" may be said.
    let [robust, depends, refuted, not_robust, _] = simulated([0.1, 0.1, 0.0501], 2);
    let wrong = depends + refuted + not_robust;
    assert!(wrong < AT_MOST, "{depends} {refuted} {not_robust}");
    assert!(robust > 0);
    // It truly depends, and that is found.
    let [robust, depends, refuted, ..] = simulated([0.15, 0.15, 0.0], 3);
    assert!(robust + refuted < AT_MOST && depends > 3600, "{depends}");
}
