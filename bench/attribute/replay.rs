//! Replays an attribution: `attribute_replay STORE ID SYMBOL REPLAYS` draws 40 of its blocks again
//! and again, concludes from each draw as the command does, and counts how often the function of
//! this symbol is named, and how often any other one is. `-` is for no right name: then no function
//! does anything. Other names are counted once more with B and all U in another order in each block,
//! the same one in both of its measurements; the U of the right function stays. What one recording
//! happened to give one function does not count in each replay then, and what an image takes from
//! one measurement to the other does.

#![allow(clippy::print_stdout, reason = "what it counts is printed")]

use std::error::Error;
use std::path::Path;

use proofmark_conclude::conclude_attribution;
use proofmark_evidence::Store;
use proofmark_evidence::record::{Attribution, AttributionBlock, AttributionStop};
use proofmark_terms::FunctionIndex;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use statrs::distribution::{Beta, ContinuousCDF};

/// Blocks of a replay: the command's own number.
const BLOCKS: u32 = 40;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().collect();
    let [_, store, id, symbol, replays] = words.as_slice() else {
        return Err("attribute_replay STORE ID SYMBOL REPLAYS".into());
    };
    let replays: u32 = replays.parse()?;
    let recorded = Store::open(Path::new(store))?.load_attribution(id)?;
    let mut attribution = recorded.attribution.clone();
    attribution.design.blocks = BLOCKS;
    let single = |block: &&AttributionBlock| block.groups.iter().all(|group| group.len() == 1);
    let mut blocks: Vec<AttributionBlock> =
        recorded.blocks.iter().filter(single).cloned().collect();
    let (mut found, mut others, mut relabelled) = (0_u32, 0_u32, 0_u32);
    let named = |taken: &[AttributionBlock]| -> Result<Vec<String>, Box<dyn Error>> {
        let told = conclude_attribution(&attribution, taken, AttributionStop::Done)?;
        let named = told.functions.iter().filter(|part| part.named);
        Ok(named
            .filter_map(|part| part.function.of(&attribution.functions))
            .map(|function| function.symbol.clone())
            .collect())
    };
    for replay in 0..replays {
        let mut draw = ChaCha8Rng::seed_from_u64(u64::from(replay));
        blocks.shuffle(&mut draw);
        let taken = &blocks[..blocks.len().min(BLOCKS as usize)];
        let symbols = named(taken)?;
        found += u32::from(symbols.contains(symbol));
        let another = |names: &[String]| u32::from(names.iter().any(|name| name != symbol));
        others += another(&symbols);
        let mut taken = taken.to_vec();
        for block in &mut taken {
            let right = block
                .groups
                .iter()
                .position(|group| of_symbol(&attribution, group, symbol));
            relabel(block, right, &mut draw);
        }
        relabelled += another(&named(&taken)?);
    }
    println!("{} blocks recorded", blocks.len());
    if symbol != "-" {
        println!("{symbol} named: {}", counted(found, replays));
    }
    println!("another named: {}", counted(others, replays));
    println!("in another order: {}", counted(relabelled, replays));
    Ok(())
}

/// Whether a group is the function of this symbol.
fn of_symbol(attribution: &Attribution, group: &[FunctionIndex], symbol: &str) -> bool {
    let functions = group
        .iter()
        .filter_map(|one| one.of(&attribution.functions));
    functions
        .into_iter()
        .any(|function| function.symbol == symbol)
}

/// Puts B and all U of a block but that of the right function in another order, the same one in
/// both measurements.
fn relabel(block: &mut AttributionBlock, right: Option<usize>, draw: &mut ChaCha8Rng) {
    // A and B, and then the U of each group.
    let stays = right.map(|group| group + 2);
    let places: Vec<usize> = (1..block.groups.len() + 2)
        .filter(|place| Some(*place) != stays)
        .collect();
    let mut from = places.clone();
    from.shuffle(draw);
    for round in block.measured.iter_mut().flatten() {
        let runs = round.runs.clone();
        for (to, from) in places.iter().zip(&from) {
            round.runs[*to] = runs[*from];
        }
    }
}

/// A count with its bounds (Clopper and Pearson 1934, 95 %).
fn counted(count: u32, of: u32) -> String {
    let (hits, misses) = (f64::from(count), f64::from(of - count));
    let at = |a: f64, b: f64, share: f64| {
        Beta::new(a, b).map_or(f64::NAN, |beta| beta.inverse_cdf(share))
    };
    let low = if count == 0 {
        0.0
    } else {
        at(hits, misses + 1.0, 0.025)
    };
    let high = if count == of {
        1.0
    } else {
        at(hits + 1.0, misses, 0.975)
    };
    let [share, low, high] = [hits / f64::from(of), low, high].map(|share| share * 100.0);
    format!("{count} of {of} ({share:.1} %, {low:.1} to {high:.1})")
}
