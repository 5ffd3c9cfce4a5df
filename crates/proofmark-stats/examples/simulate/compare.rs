//! The designs beside each other on the same blocks.

use std::fmt::Write as _;

use rand::SeedableRng;
use rand::rngs::SmallRng;

use crate::designs::{Design, MAX, MIN, Sorted, all};
use crate::known_truth::Noise;

const PATHS: u32 = 10_000;

/// The margin of the verdict, in spreads.
const MARGIN: f64 = 0.5;

/// What a design said on many sequences.
#[derive(Default)]
struct Said {
    different: u32,
    wrong_way: u32,
    equivalent: u32,
    missed: u32,
    blocks: usize,
}

/// False alarms, missed truths and blocks to a verdict, a table for each kind of noise.
pub(crate) fn tables() -> String {
    let mut text = format!("{PATHS} sequences a cell, spread 1, margin {MARGIN}.\n");
    let noises = [
        Noise::Normal,
        Noise::T3,
        Noise::Skewed(1.0),
        Noise::Skewed(2.0),
        Noise::OffBothSides(0.01),
        Noise::OffBothSides(0.05),
        Noise::OffBothSides(0.1),
        Noise::BadLayouts(0.05),
        Noise::Disturbed(0.05),
        Noise::Bursts,
        Noise::Correlated(0.2),
    ];
    let designs = all();
    for noise in noises {
        let _ = write!(
            text,
            "\n**{}**\n\n| design | no effect: called different | truth missed | equivalent | blocks | effect 0.5: found | missed | blocks | effect 1: found | missed | blocks | effect 2: found | blocks |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
            noise.name()
        );
        for design in &designs {
            let [none, half, one, two] =
                [0.0, 0.5, 1.0, 2.0].map(|effect| carry_out(design.as_ref(), noise, effect));
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
                design.name(),
                percent(none.different),
                percent(none.missed),
                percent(none.equivalent),
                mean(none.blocks),
                percent(half.different - half.wrong_way),
                percent(half.missed),
                mean(half.blocks),
                percent(one.different - one.wrong_way),
                percent(one.missed),
                mean(one.blocks),
                percent(two.different - two.wrong_way),
                mean(two.blocks),
            );
        }
    }
    text
}

fn percent(count: u32) -> String {
    format!("{:.1} %", f64::from(count) * 100.0 / f64::from(PATHS))
}

fn mean(blocks: usize) -> String {
    format!("{:.1}", blocks as f64 / f64::from(PATHS))
}

/// Stops as the shipped rule does: different, or inside the margin. The same blocks for every
/// design.
fn carry_out(design: &dyn Design, noise: Noise, effect: f64) -> Said {
    let mut rng = SmallRng::seed_from_u64(3);
    let mut said = Said::default();
    let mut blocks = [0.0; MAX];
    for _ in 0..PATHS {
        noise.fill(&mut blocks, &mut rng);
        for block in &mut blocks {
            *block += effect;
        }
        let (mut interval, mut stopped) = (None, MAX);
        let mut sorted = Sorted::default();
        for n in 1..=MAX {
            sorted.insert(blocks[n - 1]);
            if n < MIN {
                continue;
            }
            interval = design.interval(&blocks[..n], &sorted.values).or(interval);
            if interval.is_some_and(|(low, high)| {
                low > 0.0 || high < 0.0 || (-MARGIN <= low && high <= MARGIN)
            }) {
                stopped = n;
                break;
            }
        }
        let (low, high) = interval.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        said.blocks += stopped;
        said.missed += u32::from(effect < low || high < effect);
        said.different += u32::from(low > 0.0 || high < 0.0);
        said.wrong_way += u32::from(high < 0.0 && effect > 0.0);
        said.equivalent += u32::from(low <= 0.0 && 0.0 <= high && -MARGIN <= low && high <= MARGIN);
    }
    said
}
