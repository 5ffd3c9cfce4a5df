//! Sweeps with a known truth: what addresses do is found, what they do not do is not.

use proofmark_stats::sweep::{
    Cell, address_effects, beside_anchor, differ_beyond_chance, explained_by_low_bits,
    spread_beside, t_interval,
};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;

const ADDRESSES: usize = 128;
const GROUP: usize = 7;

/// A sweep of `passes` passes: each address's truth, noise of each block's anchor shared by its
/// group, noise of its own.
fn cells(truth: &[f64], passes: u32, noise: f64, rng: &mut SmallRng) -> Vec<Cell> {
    let mut cells = Vec::new();
    let mut block = 0;
    for _ in 0..passes {
        let mut order: Vec<usize> = (0..truth.len()).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, rng.random_range(0..=at));
        }
        for group in order.chunks(GROUP) {
            let anchor: f64 = rng.sample(StandardNormal);
            for address in group {
                let own: f64 = rng.sample(StandardNormal);
                cells.push(Cell {
                    address: *address,
                    block,
                    value: truth[*address] + noise * (own + 0.5 * anchor),
                });
            }
            block += 1;
        }
    }
    cells
}

fn effects(truth: &[f64], noise: f64, rng: &mut SmallRng) -> Vec<(u64, f64, f64)> {
    let cells = cells(truth, 8, noise, rng);
    address_effects(truth.len(), &cells, 0.95)
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
    let mut rng = SmallRng::seed_from_u64(1);
    let truth = vec![0.03; ADDRESSES];
    let (mut own, mut together, mut all) = (0, 0, 0);
    for _ in 0..100 {
        let found = address_effects(ADDRESSES, &cells(&truth, 8, 0.01, &mut rng), 0.95);
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
    assert!((0.943..0.957).contains(&share), "{share}");
    assert!(together >= 90, "{together} of 100");
}

#[test]
fn addresses_that_are_alike_are_called_different_at_the_stated_rate() {
    let mut rng = SmallRng::seed_from_u64(2);
    let truth = vec![0.0; 21];
    let sweeps = 200;
    let called = (0..sweeps)
        .filter(|seed| {
            let cells = cells(&truth, 4, 0.01, &mut rng);
            differ_beyond_chance(21, &cells, *seed)
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
    let chance = differ_beyond_chance(ADDRESSES, &cells(&truth, 8, 0.01, &mut rng), 3);
    let chance = chance.expect("groups");
    assert!(chance.p_value <= 0.001 + 1e-9, "{chance:?}");
    let large: Vec<f64> = (0..ADDRESSES).map(|at| 0.5 * (at % 2) as f64).collect();
    let beside = differ_beyond_chance(ADDRESSES, &cells(&large, 8, 0.01, &mut rng), 3);
    assert!(
        beside.expect("groups").noise_range < 0.1,
        "what is no noise is left out"
    );
    let flat = cells(&vec![0.0; ADDRESSES], 8, 0.01, &mut rng);
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
    let effect = beside_anchor(&address, &anchor).expect("values");
    assert!((effect - 1.1_f64.ln()).abs() < 1e-12);
    assert_eq!(beside_anchor(&[1.0], &[0.0]), None);
    assert_eq!(beside_anchor(&[], &[]), None);
    let spread = spread_beside(&[1.0, 4.0], &[1.0, 2.0]).expect("both vary");
    assert!((spread - 2.0_f64.ln()).abs() < 1e-12);
    assert_eq!(spread_beside(&[1.0, 1.0], &[1.0, 2.0]), None);
    assert_eq!(t_interval(&[0.1], 0.95), None);
}

#[test]
fn nothing_to_go_by_is_nothing_said() {
    let lonely = [Cell {
        address: 0,
        block: 0,
        value: 0.1,
    }];
    assert_eq!(differ_beyond_chance(1, &lonely, 0), None);
    assert_eq!(address_effects(2, &lonely, 0.95), [None, None]);
    let found = explained_by_low_bits(&[], 0);
    assert!(found.moduli.is_empty() && found.bits.is_empty());
    // Fewer than four addresses in a class.
    let few: Vec<(u64, f64, f64)> = (0..6).map(|at| (at, at as f64, 0.01)).collect();
    assert!(explained_by_low_bits(&few, 0).moduli.is_empty());
}
