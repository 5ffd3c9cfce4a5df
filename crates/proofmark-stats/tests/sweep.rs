//! Sweeps with a known truth: what addresses do is found, what they do not do is not.

use proofmark_stats::sweep::{
    AddressEffect, BlockValues, address_effects, differ_beyond_chance, explained_by_low_bits,
    paired, t_interval,
};
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;

const ADDRESSES: usize = 128;
const GROUP: usize = 7;

/// A block's anchor, and its addresses with theirs.
type Values = (Vec<f64>, Vec<(usize, Vec<f64>)>);

/// A sweep of `passes` passes: each address's truth, noise of each run of its own.
fn values(truth: &[f64], passes: u32, noise: f64, rng: &mut SmallRng) -> Vec<Values> {
    let mut blocks = Vec::new();
    for _ in 0..passes {
        let mut order: Vec<usize> = (0..truth.len()).collect();
        order.shuffle(rng);
        for group in order.chunks(GROUP) {
            let level: f64 = rng.sample(StandardNormal);
            let mut run = |truth: f64| {
                let own: f64 = rng.sample(StandardNormal);
                vec![(level + truth + noise * own).exp()]
            };
            let anchor = run(0.0);
            let addresses = group.iter().map(|at| (*at, run(truth[*at])));
            blocks.push((anchor, addresses.collect()));
        }
    }
    blocks
}

fn block((anchor, addresses): Values) -> BlockValues {
    BlockValues::new(&anchor, addresses).expect("values")
}

fn blocks(truth: &[f64], passes: u32, noise: f64, rng: &mut SmallRng) -> Vec<BlockValues> {
    let values = values(truth, passes, noise, rng);
    values.into_iter().map(block).collect()
}

fn effects(truth: &[f64], noise: f64, rng: &mut SmallRng) -> Vec<(u64, f64, f64)> {
    let blocks = blocks(truth, 8, noise, rng);
    address_effects(truth.len(), &blocks, 0.95)
        .iter()
        .enumerate()
        .map(|(index, found)| {
            let found = found.expect("eight blocks");
            (
                0x40_1100 + index as u64,
                found.own.estimate.ln(),
                found.variance,
            )
        })
        .collect()
}

#[test]
fn own_intervals_hold_one_by_one_and_the_others_together() {
    // In blocks of seven of 128, of nine, and in blocks that hold all of them.
    for (addresses, sweeps, seed) in [(ADDRESSES, 100, 1), (9, 1000, 2), (GROUP, 1000, 3)] {
        let mut rng = SmallRng::seed_from_u64(seed);
        let truth = vec![0.03; addresses];
        let (mut own, mut together, mut all) = (0, 0, 0);
        for _ in 0..sweeps {
            let blocks = blocks(&truth, 8, 0.01, &mut rng);
            let found = address_effects(addresses, &blocks, 0.95);
            let mut each = true;
            for found in found.iter().flatten() {
                let off = (found.own.estimate.ln() - 0.03).abs();
                own += u32::from(off <= found.own.half_width());
                each &= off <= found.together;
                all += 1;
            }
            together += u32::from(each);
        }
        let share = f64::from(own) / f64::from(all);
        assert!((0.943..0.98).contains(&share), "{addresses}: {share}");
        assert!(
            together * 10 >= sweeps * 9,
            "{addresses}: {together} of {sweeps}"
        );
    }
}

#[test]
fn what_the_other_addresses_of_a_block_measure_makes_intervals_narrower() {
    let mut rng = SmallRng::seed_from_u64(7);
    let truth: Vec<f64> = (0..ADDRESSES).map(|at| 0.2 * (at % 5) as f64).collect();
    let off = |found: &[Option<AddressEffect>]| -> f64 {
        let each = found.iter().flatten().zip(&truth);
        let squares = each.map(|(found, truth)| (found.own.estimate.ln() - truth).powi(2));
        (squares.sum::<f64>() / ADDRESSES as f64).sqrt()
    };
    // The anchor alone: each block once more for each of its addresses, with nothing else in it.
    let (mut beside_all, mut beside_one) = (0.0, 0.0);
    for _ in 0..10 {
        let values = values(&truth, 12, 0.01, &mut rng);
        let alone = values.iter().flat_map(|(anchor, addresses)| {
            let each = addresses.iter();
            each.map(|one| block((anchor.clone(), vec![one.clone()])))
        });
        let alone: Vec<BlockValues> = alone.collect();
        let all: Vec<BlockValues> = values.into_iter().map(block).collect();
        beside_all += off(&address_effects(ADDRESSES, &all, 0.95));
        beside_one += off(&address_effects(ADDRESSES, &alone, 0.95));
    }
    // Normal noise: √((1 + π ÷ 14) ÷ 2) = 0.78, for a median of seven has π ÷ 14 of one's variance.
    let share = beside_all / beside_one;
    assert!((0.74..0.86).contains(&share), "{share}");
}

#[test]
fn addresses_that_are_alike_are_called_different_at_the_stated_rate() {
    let mut rng = SmallRng::seed_from_u64(2);
    let truth = vec![0.0; 21];
    let sweeps = 200;
    let called = (0..sweeps)
        .filter(|seed| {
            let blocks = blocks(&truth, 4, 0.01, &mut rng);
            differ_beyond_chance(21, &blocks, *seed)
                .expect("a group")
                .p_value
                <= 0.05
        })
        .count();
    assert!((2..=20).contains(&called), "{called} of {sweeps}");
}

#[test]
fn a_difference_is_found_and_the_range_of_noise_is_told_beside_it() {
    let mut rng = SmallRng::seed_from_u64(3);
    let mut truth = vec![0.0; ADDRESSES];
    truth[77] = 0.05;
    let chance = differ_beyond_chance(ADDRESSES, &blocks(&truth, 8, 0.01, &mut rng), 3);
    let chance = chance.expect("groups");
    assert!(chance.p_value <= 0.001 + 1e-9, "{chance:?}");
    let large: Vec<f64> = (0..ADDRESSES).map(|at| 0.5 * (at % 2) as f64).collect();
    let beside = differ_beyond_chance(ADDRESSES, &blocks(&large, 8, 0.01, &mut rng), 3);
    assert!(
        beside.expect("groups").noise_range < 0.1,
        "what is no noise is left out"
    );
    let flat = blocks(&vec![0.0; ADDRESSES], 8, 0.01, &mut rng);
    let found = address_effects(ADDRESSES, &flat, 0.95);
    let means: Vec<f64> = found
        .iter()
        .flatten()
        .map(|one| one.own.estimate.ln())
        .collect();
    let range = means.iter().copied().fold(f64::MIN, f64::max)
        - means.iter().copied().fold(f64::MAX, f64::min);
    let told = differ_beyond_chance(ADDRESSES, &flat, 4)
        .expect("groups")
        .noise_range;
    assert!((0.7..1.4).contains(&(told / range)), "{told} {range}");
}

#[test]
fn the_bits_that_explain_are_named() {
    let mut rng = SmallRng::seed_from_u64(4);
    for (mask, bits) in [
        (16, vec![4]),
        (24, vec![3, 4]),
        (1, vec![0]),
        (6, vec![1, 2]),
    ] {
        let truth: Vec<f64> = (0..ADDRESSES as u64)
            .map(|at| match at & mask {
                0 => 0.0,
                some if some == mask => 0.09,
                some => 0.02 + 0.001 * some as f64,
            })
            .collect();
        let found = explained_by_low_bits(&effects(&truth, 0.01, &mut rng), 9);
        assert_eq!(found.bits, bits, "{found:?}");
        assert!(found.share > 0.9, "{found:?}");
        let moduli: Vec<u64> = found.moduli.iter().map(|one| one.modulus).collect();
        assert_eq!(moduli, [2, 4, 8, 16, 32], "four addresses in each class");
        for one in &found.moduli {
            assert!(one.modulus <= mask || one.share > 0.9, "{mask}: {one:?}");
            let first = one.modulus == (mask + 1).next_power_of_two();
            assert!(!first || one.p_value <= 0.05, "{mask}: {one:?}");
        }
    }
}

#[test]
fn runs_of_neighbours_that_are_alike_are_no_low_bits() {
    let mut rng = SmallRng::seed_from_u64(5);
    let sweeps = 60;
    let named = (0..sweeps)
        .filter(|seed| {
            // Lengths that no power of two has a part in.
            let mut truth = Vec::with_capacity(ADDRESSES);
            while truth.len() < ADDRESSES {
                let value: f64 = 0.03 * rng.sample::<f64, _>(StandardNormal);
                let length = rng.random_range(3..23);
                truth.extend(std::iter::repeat_n(value, length));
            }
            truth.truncate(ADDRESSES);
            let found = explained_by_low_bits(&effects(&truth, 0.005, &mut rng), *seed);
            !found.bits.is_empty()
        })
        .count();
    assert!(named <= 8, "{named} of {sweeps}");
}

#[test]
fn the_share_is_right_where_the_bits_explain_a_part() {
    let mut rng = SmallRng::seed_from_u64(6);
    let mut shares = Vec::new();
    for seed in 0..40 {
        // Half of the variance is bit 4's, half each address's own.
        let truth: Vec<f64> = (0..ADDRESSES as u64)
            .map(|at| {
                let own: f64 = rng.sample(StandardNormal);
                0.02 * own + if at & 16 == 0 { -0.02 } else { 0.02 }
            })
            .collect();
        let found = explained_by_low_bits(&effects(&truth, 0.02, &mut rng), seed);
        shares.push(found.moduli.last().expect("moduli").share);
    }
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    assert!((0.40..0.60).contains(&mean), "{mean}");
}

#[test]
fn one_burst_in_a_round_is_not_the_address() {
    let anchor = [10.0, 10.0, 10.0, 10.0, 10.0];
    let address = [11.0, 11.0, 55.0, 11.0, 11.0];
    let effect = paired(&address, &anchor).expect("values");
    assert!((effect - 1.1_f64.ln()).abs() < 1e-12);
    assert_eq!(paired(&[1.0], &[0.0]), None);
    assert_eq!(paired(&[], &[]), None);
    assert_eq!(t_interval(&[0.1], 0.95), None);
}

#[test]
fn a_burst_at_one_address_is_not_its_neighbours() {
    // Half of all rounds of address 0 take ten times as long.
    let mut rng = SmallRng::seed_from_u64(8);
    let mut values = Vec::new();
    for block in 0..24_usize {
        let mut address = |at: usize| {
            let burst = |round: usize| if at == 0 && round < 5 { 10.0 } else { 1.0 };
            let noise = 0.001 * rng.sample::<f64, _>(StandardNormal);
            (
                at,
                (0..9)
                    .map(|round| (noise + 0.01 * at as f64).exp() * burst(round))
                    .collect(),
            )
        };
        let rest: Vec<(usize, Vec<f64>)> = (0..3).map(|k| address(1 + (block + k) % 8)).collect();
        let addresses = rest.into_iter().chain([address(0)]);
        values.push(BlockValues::new(&[1.0; 9], addresses).expect("values"));
    }
    let found = address_effects(9, &values, 0.95);
    for (at, found) in found.iter().enumerate().skip(1) {
        let found = found.expect("blocks").own.estimate.ln();
        assert!((found - 0.01 * at as f64).abs() < 0.002, "{at}: {found}");
    }
}

#[test]
fn spreads_are_held_beside_one_another_as_values_are() {
    let addresses = [(0, vec![1.0, 4.0]), (1, vec![3.0, 3.0])];
    let block = BlockValues::new(&[1.0, 2.0], addresses).expect("values");
    let spread = block.spread().expect("the anchor varies");
    let found = address_effects(2, &[spread.clone(), spread], 0.95);
    let found = found[0].expect("two blocks").own.estimate.ln();
    assert!((found - 2.0_f64.ln()).abs() < 1e-12, "{found}");
    let still = BlockValues::new(&[2.0, 2.0], [(0, vec![1.0, 4.0])]).expect("values");
    assert_eq!(still.spread(), None);
}

#[test]
fn nothing_to_go_by_is_nothing_said() {
    let lonely = [BlockValues::new(&[1.0], [(0, vec![1.1])]).expect("values")];
    assert_eq!(differ_beyond_chance(1, &lonely, 0), None);
    assert_eq!(address_effects(2, &lonely, 0.95), [None, None]);
    assert_eq!(BlockValues::new(&[1.0, 2.0], [(0, vec![1.1])]), None);
    assert_eq!(BlockValues::new(&[-1.0], [(0, vec![1.1])]), None);
    let found = explained_by_low_bits(&[], 0);
    assert!(found.moduli.is_empty() && found.bits.is_empty());
    // Fewer than four addresses in a class.
    let few: Vec<(u64, f64, f64)> = (0..6).map(|at| (at, at as f64, 0.01)).collect();
    assert!(explained_by_low_bits(&few, 0).moduli.is_empty());
}
