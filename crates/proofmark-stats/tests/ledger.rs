//! Ideas that come one after another, simulated: how many findings are none, and what the best of
//! ten looks like before and after it is measured afresh.

use std::collections::BTreeMap;

use proofmark_stats::Better;
use proofmark_stats::ledger::{ErrorBudget, Race, chance_of_no_gain, interaction, together};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand_distr::{Distribution, StandardNormal};

const RATE: f64 = 0.1;
const BLOCKS: usize = 10;

/// The world of one simulated ledger.
#[derive(Clone, Copy)]
struct World {
    /// Ideas of one batch.
    batch: usize,
    /// Batches.
    batches: usize,
    /// Every so manieth idea is a gain of 2 standard deviations of a block; the others are none.
    gain_every: usize,
    /// How much of a block's variance all ideas of a batch share, as they share the base.
    shared: f64,
    /// How often what was not found is asked again, with new blocks.
    again: usize,
}

/// What became of a ledger.
#[derive(Default)]
struct Found {
    wrong: usize,
    right: usize,
    asked: usize,
    /// Ideas that 5 % of chance each time would have found wrongly.
    plain: usize,
}

fn normal(random: &mut SmallRng) -> f64 {
    StandardNormal.sample(random)
}

/// Blocks of a batch of ideas with these true effects.
fn blocks(world: World, effects: &[f64], random: &mut SmallRng) -> Vec<Vec<f64>> {
    let base: Vec<f64> = (0..BLOCKS).map(|_| normal(random)).collect();
    let (common, own) = (world.shared.sqrt(), (1.0 - world.shared).sqrt());
    let of = |effect: &f64| {
        let block = |base: &f64| effect + common * base + own * normal(random);
        base.iter().map(block).collect()
    };
    effects.iter().map(of).collect()
}

fn ledger(world: World, random: &mut SmallRng) -> Found {
    let mut budget = ErrorBudget::new(RATE).unwrap();
    let mut found = Found::default();
    for batch in 0..world.batches {
        let is_gain = |idea: usize| (batch * world.batch + idea).is_multiple_of(world.gain_every);
        let mut open: Vec<usize> = (0..world.batch).collect();
        for _ in 0..=world.again {
            let effects: Vec<f64> = open
                .iter()
                .map(|&idea| if is_gain(idea) { -2.0 } else { 0.0 })
                .collect();
            let chances: Vec<f64> = blocks(world, &effects, random)
                .iter()
                .map(|values| chance_of_no_gain(values, Better::Lower, 0.0))
                .collect();
            let answers = budget.ask(&chances);
            for (&idea, answer) in open.iter().zip(&answers) {
                found.asked += 1;
                match (answer.found, is_gain(idea)) {
                    (true, true) => found.right += 1,
                    (true, false) => found.wrong += 1,
                    _ => {}
                }
                found.plain += usize::from(!is_gain(idea) && answer.p_value < 0.05);
            }
            let mut kept = answers.iter().map(|answer| !answer.found);
            open.retain(|_| kept.next().unwrap());
        }
    }
    found
}

/// Expected false findings over expected findings, and the same where each idea is asked at 5 %.
fn rates(world: World) -> (f64, f64, f64) {
    let mut random = SmallRng::seed_from_u64(22);
    let mut all = Found::default();
    for _ in 0..400 {
        let one = ledger(world, &mut random);
        all.wrong += one.wrong;
        all.right += one.right;
        all.asked += one.asked;
        all.plain += one.plain;
    }
    let share = |wrong: usize| wrong as f64 / (wrong + all.right).max(1) as f64;
    (share(all.wrong), share(all.plain), all.right as f64 / 400.0)
}

#[test]
fn false_findings_stay_below_the_rate_where_ideas_are_independent() {
    let world = World {
        batch: 1,
        batches: 60,
        gain_every: 10,
        shared: 0.0,
        again: 0,
    };
    let (wrong, plain, right) = rates(world);
    assert!(wrong < RATE, "{wrong}");
    assert!(plain > 2.0 * RATE, "the world is no test: {plain}");
    assert!(right > 4.0, "of six gains: {right}");
}

/// Twelve ideas share the blocks of one base: what is good luck of one is of all.
#[test]
fn false_findings_stay_below_the_rate_where_ideas_share_the_base() {
    for shared in [0.5, 0.9] {
        let world = World {
            batch: 12,
            batches: 5,
            gain_every: 10,
            shared,
            again: 0,
        };
        let (wrong, plain, right) = rates(world);
        assert!(wrong < RATE, "{shared}: {wrong}");
        assert!(plain > 2.0 * RATE, "{shared}: {plain}");
        assert!(right > 3.0, "{shared}: {right}");
    }
}

/// Somebody asks again until it is found, up to twenty times.
#[test]
fn false_findings_stay_below_the_rate_where_the_same_is_asked_again() {
    let world = World {
        batch: 4,
        batches: 5,
        gain_every: 10,
        shared: 0.5,
        again: 20,
    };
    let (wrong, plain, right) = rates(world);
    assert!(wrong < RATE, "{wrong}");
    assert!(plain > 0.7, "{plain}");
    assert!(right > 1.8, "of two gains: {right}");
}

/// Four builds a block: base, idea, stack without it, stack. The idea is a gain of 0.03 alone and
/// of 0.01 on the stack.
#[test]
fn the_interval_of_an_interaction_holds_the_truth() {
    let mut random = SmallRng::seed_from_u64(4);
    let (mut held, mut squares) = (0_u32, 0.0);
    for _ in 0..600 {
        let (mut left_out, mut alone) = (BTreeMap::new(), BTreeMap::new());
        for block in 0..8 {
            let build = [0.0, -0.03, -0.2, -0.21].map(|effect| effect + 0.01 * normal(&mut random));
            left_out.insert(block, build[3] - build[2]);
            alone.insert(block, build[1] - build[0]);
        }
        // A block that only one of both holds says nothing.
        alone.insert(8, 5.0);
        let values: Vec<f64> = interaction(&left_out, &alone).into_values().collect();
        assert_eq!(values.len(), 8);
        let interval = together(&values, 0.9, 1, 0.0).unwrap();
        held += u32::from(interval.low.ln() <= 0.02 && 0.02 <= interval.high.ln());
        squares += (values[0] - 0.02).powi(2);
    }
    // Binomial: 540 ± 3 standard deviations of 7.3.
    assert!((518..=562).contains(&held), "{held}");
    // The variance of four builds, which is twice that of a difference of two.
    let ratio = squares / 600.0 / (4.0 * 0.01 * 0.01);
    assert!((0.83..1.17).contains(&ratio), "{ratio}");
}

#[test]
fn intervals_of_several_figures_hold_together() {
    let mut random = SmallRng::seed_from_u64(5);
    let mut held = 0;
    for _ in 0..400 {
        let all = (0..6).all(|_| {
            let values: Vec<f64> = (0..8).map(|_| normal(&mut random)).collect();
            let interval = together(&values, 0.9, 6, 0.0).unwrap();
            interval.low.ln() <= 0.0 && 0.0 <= interval.high.ln()
        });
        held += u32::from(all);
    }
    assert!(held >= 342, "{held} of 400 at 90 %");
    let exact = together(&[-0.1; 4], 0.95, 3, 0.01).unwrap();
    assert!((exact.low.ln() + 0.11).abs() < 1e-12 && (exact.high.ln() + 0.09).abs() < 1e-12);
    assert!(together(&[0.1], 0.95, 1, 0.0).is_none());
}

/// Ten useless ideas: the best of them looks like a gain, and is none when it is measured afresh.
#[test]
fn measuring_the_best_of_ten_afresh_takes_the_luck_away() {
    let mut random = SmallRng::seed_from_u64(6);
    let mean = |random: &mut SmallRng| (0..8).map(|_| normal(random)).sum::<f64>() / 8.0;
    let (mut first, mut afresh) = (0.0, 0.0);
    for _ in 0..1000 {
        let best = (0..10).map(|_| mean(&mut random)).fold(0.0, f64::min);
        first += best / 1000.0;
        afresh += mean(&mut random) / 1000.0;
    }
    // The expected least of ten standard normals is −1.539; the mean of eight blocks has σ ÷ √8.
    assert!((first + 1.539 / 8.0_f64.sqrt()).abs() < 0.03, "{first}");
    assert!(afresh.abs() < 0.035, "{afresh}");
}

#[test]
fn a_chance_is_that_of_the_t_test_to_one_side() {
    // scipy.stats.ttest_1samp([-1, -2, -3, 0.5], 0, alternative="less").pvalue
    let values = [-1.0, -2.0, -3.0, 0.5];
    let p = chance_of_no_gain(&values, Better::Lower, 0.0);
    assert!((p - 0.081_366_6).abs() < 1e-6, "{p}");
    let other = chance_of_no_gain(&values, Better::Higher, 0.0);
    assert!((p + other - 1.0).abs() < 1e-12, "{other}");
    assert!(chance_of_no_gain(&values, Better::Lower, 0.5) > p);
    assert_eq!(chance_of_no_gain(&[-0.1; 5], Better::Lower, 0.0), 0.0);
    assert_eq!(chance_of_no_gain(&[0.0; 5], Better::Lower, 0.0), 1.0);
    assert_eq!(chance_of_no_gain(&[-0.1], Better::Lower, 0.0), 1.0);
}

/// Five builds, of which one is better by a third of a standard deviation of a block: it leaves in
/// few races, and the worst of them in nearly all.
#[test]
fn the_best_of_a_race_hardly_ever_leaves_it() {
    let mut random = SmallRng::seed_from_u64(7);
    let truth = [-0.33, 0.0, 0.0, 0.0, 3.0];
    let race = Race::new(0.9, (4, 20), 5, Better::Lower).unwrap();
    let mut left = [0_u32; 5];
    for _ in 0..200 {
        let mut blocks: Vec<Vec<f64>> = vec![Vec::new(); 5];
        let mut out = [false; 5];
        for _ in 0..20 {
            for (values, truth) in blocks.iter_mut().zip(truth) {
                values.push(truth + normal(&mut random));
            }
            for one in 0..5 {
                out[one] |= (0..5).any(|other| {
                    let pairs = blocks[one].iter().zip(&blocks[other]);
                    let values: Vec<f64> = pairs.map(|(one, other)| one - other).collect();
                    one != other && race.is_behind(&values, 0.0)
                });
            }
        }
        for (left, out) in left.iter_mut().zip(out) {
            *left += u32::from(out);
        }
    }
    assert!(left[0] <= 20, "the best left in {left:?} of 200 races");
    assert!(left[4] >= 195, "the worst left in {left:?} of 200 races");
    assert!(!race.is_behind(&[5.0; 3], 0.0), "before the first look");
    assert!(race.is_behind(&[0.1; 4], 0.05) && !race.is_behind(&[0.1; 4], 0.2));
}
