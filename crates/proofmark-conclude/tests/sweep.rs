//! Sweeps over simulated runs: what is measured next follows from the blocks alone, and intervals
//! hold although each address stops when it is known well enough.

use std::collections::BTreeSet;

use proofmark_conclude::{NextSweepBlock, SweepOrder, conclude_sweep, next_sweep_block};
use proofmark_evidence::record::{
    Benchmark, Build, BuildOrigin, Images, Inputs, Run, Sweep, SweepBlock, SweepDesign, SweepRound,
    SweepStage, SweepStop, SweptAddress, SweptFunction,
};
use proofmark_terms::{AddressIndex, ImageIndex, Machine};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn sweep(addresses: u64, precision: f64, seed: u64) -> Sweep {
    let address = |at| SweptAddress {
        other: None,
        address: 0x40_1100 + at,
        branches_32: 0,
        branches_64: 0,
        heads_32: 0,
        heads_64: 0,
    };
    Sweep {
        build: Build {
            name: "base".to_owned(),
            origin: BuildOrigin::Executable { path: "x".into() },
            images: Images::of_program("x", blake3::hash(b"x").into()),
            revision: None,
            patches: Vec::new(),
            toolchain: Vec::new(),
            run_as: None,
            tree: None,
            built_by: None,
        },
        functions: vec![SweptFunction {
            name: "f".to_owned(),
            symbol: "f".to_owned(),
            bytes: 50,
            loops: 1,
            heads: vec![[8, 3]],
            copies: vec!["f.constprop.0".to_owned()],
        }],
        benchmark: Benchmark::default(),
        design: SweepDesign {
            inside: None,
            range: addresses,
            step: 1,
            at: Vec::new(),
            precision,
            confidence: 0.95,
            min_blocks: 8,
            max_blocks: 40,
            afresh: 12,
            budget_ms: None,
            seed,
        },
        as_shipped: 0x40_1100,
        addresses: (0..addresses).map(address).collect(),
        inside: None,
        against: None,
        left_out: Vec::new(),
        is_run: Some(true),
        inputs: Inputs::default(),
        group: 7,
        rounds: 3,
        pinned: true,
        remarks: Vec::new(),
        machine: Machine::default(),
        proofmark: "test".to_owned(),
        began_ms: 0,
    }
}

/// A nearly normal number: the sum of twelve uniform ones.
fn normal(draw: &mut ChaCha8Rng) -> f64 {
    (0..12).map(|_| draw.random::<f64>()).sum::<f64>() - 6.0
}

/// Measures the block that comes next, each address by its truth and noise.
fn measured(
    sweep: &Sweep,
    blocks: &[SweepBlock],
    truth: (&dyn Fn(u32) -> f64, f64),
    short: bool,
    draw: &mut ChaCha8Rng,
) -> Option<SweepBlock> {
    let next = next_sweep_block(sweep, blocks, short)?;
    Some(block(sweep, next, truth, draw))
}

fn block(
    sweep: &Sweep,
    next: NextSweepBlock,
    (truth, noise): (&dyn Fn(u32) -> f64, f64),
    draw: &mut ChaCha8Rng,
) -> SweepBlock {
    let run = |ln: f64| Run {
        value: 1e6 * ln.exp(),
        cpu_ns: 1_000_000,
        wall_ns: 1_000_000,
        peak_bytes: 1,
    };
    let rounds = (0..sweep.rounds)
        .map(|_| {
            let drift = 0.1 * normal(draw);
            let mut runs = vec![run(drift + noise * normal(draw))];
            let each = next.addresses.iter();
            runs.extend(each.map(|at| run(drift + truth(at.0) + noise * normal(draw))));
            SweepRound {
                order: ImageIndex::all(runs.len()).collect(),
                runs,
            }
        })
        .collect();
    SweepBlock {
        index: next.index,
        stage: next.stage,
        addresses: next.addresses,
        images: Vec::new(),
        rounds,
        began_ms: 0,
        took_ms: 10,
    }
}

fn whole(
    sweep: &Sweep,
    truth: (&dyn Fn(u32) -> f64, f64),
    draw: &mut ChaCha8Rng,
) -> Vec<SweepBlock> {
    let (mut blocks, mut order) = (Vec::new(), SweepOrder::default());
    while let Some(next) = order.next(sweep, &blocks, false) {
        blocks.push(block(sweep, next, truth, draw));
    }
    blocks
}

#[test]
fn intervals_hold_although_addresses_stop_by_their_width() {
    let mut draw = ChaCha8Rng::seed_from_u64(1);
    let truth = |at: u32| 0.001 * f64::from(at);
    let (mut held, mut all, mut early, mut late) = (0_u32, 0_u32, 0_u32, 0_u32);
    for seed in 0..20 {
        let sweep = sweep(21, 0.01, seed);
        let blocks = whole(&sweep, (&truth, 0.02), &mut draw);
        let found = conclude_sweep(&sweep, &blocks, SweepStop::Precise).expect("enough blocks");
        for (at, found) in (0..).zip(&found.addresses) {
            held += u32::from((found.low.ln()..=found.high.ln()).contains(&truth(at)));
            all += 1;
            early += u32::from(found.blocks == 8);
            late += u32::from(found.blocks > 12);
        }
    }
    let share = f64::from(held) / f64::from(all);
    assert!((0.905..0.975).contains(&share), "{share}");
    assert!(
        early > 0 && late > 0,
        "they stop at different times: {early} {late}"
    );
}

#[test]
fn a_pass_takes_each_address_once_and_the_extremes_come_afresh() {
    let mut draw = ChaCha8Rng::seed_from_u64(2);
    let sweep = sweep(16, 0.5, 3);
    let truth = |at: u32| match at {
        5 => -0.2,
        11 => 0.3,
        _ => 0.0,
    };
    let blocks = whole(&sweep, (&truth, 0.001), &mut draw);
    for pass in blocks[..24].chunks(3) {
        let sizes: Vec<usize> = pass.iter().map(|block| block.addresses.len()).collect();
        assert_eq!(sizes, [6, 5, 5]);
        let taken: BTreeSet<AddressIndex> = pass
            .iter()
            .flat_map(|block| block.addresses.clone())
            .collect();
        assert_eq!(taken.len(), 16);
    }
    let orders: BTreeSet<Vec<AddressIndex>> = blocks[..24]
        .iter()
        .map(|one| one.addresses.clone())
        .collect();
    assert!(orders.len() > 20, "each pass has an order of its own");
    assert_eq!(blocks.len(), 24 + 12);
    for block in &blocks[24..] {
        assert_eq!(
            (block.stage, block.addresses.as_slice()),
            (SweepStage::Afresh, &[5, 11].map(AddressIndex)[..])
        );
    }
    let found = conclude_sweep(&sweep, &blocks, SweepStop::Precise).expect("enough blocks");
    let range = found.range.expect("a range");
    let afresh = range.afresh.expect("measured afresh");
    assert_eq!(
        (range.least.0, range.greatest.0, afresh.blocks),
        (5, 11, 12)
    );
    assert!(
        (afresh.low..=afresh.high).contains(&0.5_f64.exp()),
        "{afresh:?}"
    );
    assert!(range.by_noise < 1.01, "{range:?}");
    assert_eq!(found.differ.map(|by| by.p_value <= 0.001), Some(true));
}

#[test]
fn what_comes_next_does_not_depend_on_when_it_was_interrupted() {
    let mut draw = ChaCha8Rng::seed_from_u64(4);
    let sweep = sweep(10, 0.01, 5);
    let blocks = whole(&sweep, (&|_| 0.0, 0.02), &mut draw);
    for done in 0..blocks.len() {
        let next = next_sweep_block(&sweep, &blocks[..done], false).expect("it is not over");
        assert_eq!(next.addresses, blocks[done].addresses, "block {done}");
        assert_eq!(
            (next.index as usize, next.stage),
            (done, blocks[done].stage)
        );
    }
    // Short of time the extremes come at once, and then nothing.
    let mut short = blocks[..20].to_vec();
    while let Some(block) = measured(&sweep, &short, (&|_| 0.0, 0.02), true, &mut draw) {
        assert_eq!(block.stage, SweepStage::Afresh);
        short.push(block);
    }
    assert_eq!(short.len(), 32);
}

#[test]
fn a_map_that_was_left_goes_on_where_it_was() {
    let mut draw = ChaCha8Rng::seed_from_u64(8);
    let sweep = sweep(10, 0.01, 5);
    let truth = |at: u32| if at == 3 { 0.5 } else { -0.01 * f64::from(at) };
    let mut blocks = Vec::new();
    // Left within a pass, and all extremes measured.
    for short in [false; 5].into_iter().chain([true; 12]) {
        blocks.extend(measured(&sweep, &blocks, (&truth, 0.001), short, &mut draw));
    }
    assert_eq!(next_sweep_block(&sweep, &blocks, true), None);
    let map = next_sweep_block(&sweep, &blocks[..5], false).expect("it is not over");
    let next = next_sweep_block(&sweep, &blocks, false).expect("it is not over");
    assert_eq!((next.index, next.stage), (17, SweepStage::Map));
    assert_eq!(next.addresses, map.addresses);
    while let Some(block) = measured(&sweep, &blocks, (&truth, 0.001), false, &mut draw) {
        blocks.push(block);
    }
    let found = conclude_sweep(&sweep, &blocks, SweepStop::Precise).expect("enough blocks");
    assert!(found.addresses.iter().all(|found| found.blocks == 8));
    // The extremes are the same as before: nothing more was needed of them.
    let range = found.range.expect("a range");
    assert_eq!(range.afresh.map(|afresh| afresh.blocks), Some(12));
    assert_eq!(blocks.len(), 16 + 12);
}

#[test]
fn extremes_that_are_others_now_are_measured_afresh() {
    let mut draw = ChaCha8Rng::seed_from_u64(9);
    let sweep = sweep(10, 0.01, 5);
    let first = |at: u32| if at == 3 { 0.5 } else { -0.01 * f64::from(at) };
    let later = |at: u32| if at == 4 { 3.0 } else { first(at) };
    let mut blocks = Vec::new();
    for short in [false; 6].into_iter().chain([true; 12]) {
        blocks.extend(measured(&sweep, &blocks, (&first, 0.001), short, &mut draw));
    }
    while let Some(block) = measured(&sweep, &blocks, (&later, 0.001), false, &mut draw) {
        blocks.push(block);
    }
    let afresh = blocks.iter().filter(|one| one.stage == SweepStage::Afresh);
    let pairs: Vec<&[AddressIndex]> = afresh.map(|one| one.addresses.as_slice()).collect();
    assert_eq!(pairs[..12], [&[9, 3].map(AddressIndex)[..]; 12]);
    assert_eq!(pairs[12..], [&[9, 4].map(AddressIndex)[..]; 12]);
}

#[test]
fn too_few_blocks_carry_nothing() {
    let mut draw = ChaCha8Rng::seed_from_u64(6);
    let sweep = sweep(16, 0.01, 7);
    let blocks = whole(&sweep, (&|_| 0.0, 0.02), &mut draw);
    assert!(conclude_sweep(&sweep, &blocks[..3], SweepStop::Budget).is_err());
    assert!(conclude_sweep(&sweep, &blocks[..6], SweepStop::Budget).is_ok());
}
