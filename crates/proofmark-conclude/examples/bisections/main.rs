//! Prints, as Markdown, how often whole bisections name the right commit, and beside them
//! `git bisect run` with a script that holds the median of five runs against a threshold:
//!
//! ```text
//! cargo run -p proofmark-conclude --release --example bisections
//! cargo run -p proofmark-conclude --release --example bisections -- 10000
//! cargo run -p proofmark-conclude --release --example bisections -- 500 STORE EXPERIMENT
//! ```
//!
//! A history has 1,000 commits in a line, with one change at a random place. Blocks are simulated,
//! or drawn from those of an experiment that `bench/bisect/record.py` recorded.

#![expect(clippy::print_stdout, reason = "a generator prints what it generates")]

mod recorded;
mod searched;
mod simulated;
mod world;

use std::error::Error;

use proofmark_stats::share_bounds;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use recorded::Recording;
use searched::{Cost, Design, Found, bisected, thresholded};
use world::{COMMITS, World};

/// What came of many searches, in the order: right, another commit, a range, no commit to blame.
type Tally = [u32; 4];

fn main() -> Result<(), Box<dyn Error>> {
    let mut asked = std::env::args().skip(1);
    let count = asked.next().and_then(|text| text.parse().ok());
    let count: u32 = count.unwrap_or(1000);
    let design = Design::new().ok_or("no levels")?;
    println!(
        "| history | right | at least | another commit | a range | no commit to blame | steps | \
         blocks of all steps | threshold: right | threshold: another commit |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let Some(store) = asked.next() else {
        for case in simulated::CASES {
            let make = |first: usize, seed: u64| case.world(first, seed);
            println!(
                "{}",
                row(case.name, case.percent > 0.0, &make, &design, count)
            );
        }
        return Ok(());
    };
    let experiment = asked.next().unwrap_or_else(|| "latest".to_owned());
    let recording = Recording::read(&store, &experiment)?;
    for (name, level) in recorded::LEVELS {
        let make = |first: usize, seed: u64| recording.world(level, first, seed);
        println!("{}", row(name, level > 0, &make, &design, count));
    }
    Ok(())
}

/// Searches in so many histories, each of a world of its own.
fn row<W: World>(
    name: &str,
    is_step: bool,
    make: &dyn Fn(usize, u64) -> W,
    design: &Design,
    count: u32,
) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(20);
    let (mut own, mut other) = (Tally::default(), Tally::default());
    let (mut steps, mut blocks) = (0_u64, 0_u64);
    for _ in 0..count {
        let first = rng.random_range(1..COMMITS);
        let mut world = make(first, rng.random());
        let mut cost = Cost::default();
        let column = |found: Found| match found {
            Found::Commit(commit) if commit == first && is_step => 0,
            Found::Commit(_) => 1,
            Found::Range => 2,
            Found::Nothing => 3,
        };
        own[column(bisected(&mut world, design, &mut cost))] += 1;
        steps += u64::from(cost.steps);
        blocks += u64::from(cost.blocks);
        other[column(thresholded(&mut world))] += 1;
    }
    let share = |part: u32| f64::from(part) / f64::from(count);
    let percent = |part: u32| format!("{:.1} %", share(part) * 100.0);
    let mean = |sum: u64| format!("{:.0}", sum as f64 / f64::from(count));
    let right = if is_step { own[0] } else { own[3] };
    let (least, _) = share_bounds(right.into(), count.into());
    format!(
        "| {name} | {} | {:.1} % | {} | {} | {} | {} | {} | {} | {} |",
        percent(right),
        least * 100.0,
        percent(own[1]),
        percent(own[2]),
        percent(own[3]),
        mean(steps),
        mean(blocks),
        percent(other[0]),
        percent(other[1]),
    )
}
