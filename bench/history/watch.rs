//! `history_watch [SERIES]`: how long a watch runs until its first false alarm, by penalty and kind
//! of noise, and how soon it sees a change. Prints the tables that docs/methods.md quotes.

use std::error::Error;
use std::io::Write;

use proofmark_stats::changes::{PENALTY, Watch};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Exp1, StandardNormal, StudentT};

/// A run is ended after so many values; its length then counts as this.
const LONGEST: usize = 20_000;

/// The next value of a series.
type Noise = fn(&mut SmallRng, usize, f64) -> f64;

/// Kinds of noise with a standard deviation of about 1; the last argument is the value before.
const KINDS: [(&str, Noise); 7] = [
    ("normal", |draw, _, _| normal(draw)),
    ("heavy tails (t, 3)", |draw, _, _| {
        StudentT::new(3.0).map_or(0.0, |noise| noise.sample(draw)) / 3.0_f64.sqrt()
    }),
    ("skewed (exponential)", |draw, _, _| {
        let value: f64 = Exp1.sample(draw);
        value - 1.0
    }),
    ("single peaks of 5 deviations (1 in 200)", |draw, _, _| {
        normal(draw) + if draw.random_bool(0.005) { 5.0 } else { 0.0 }
    }),
    ("AR(1), 0.3", |draw, _, before| {
        0.3 * before + 0.91_f64.sqrt() * normal(draw)
    }),
    ("drift of 1 deviation in 1,000", |draw, at, _| {
        normal(draw) + at as f64 / 1000.0
    }),
    ("noise half as large again", |draw, _, _| 1.5 * normal(draw)),
];

fn normal(draw: &mut SmallRng) -> f64 {
    StandardNormal.sample(draw)
}

/// Values until the first alarm, from a level that `change` moves after `known` values.
fn run(draw: &mut SmallRng, noise: Noise, penalty: f64, (known, change): (usize, f64)) -> usize {
    let mut watch = Watch::new();
    let mut before = 0.0;
    for at in 0..LONGEST {
        before = noise(draw, at, before);
        watch.push(before + if at >= known { change } else { 0.0 });
        let clearest = watch.clearest().map_or(0.0, |seen| seen.statistic);
        if at >= known && clearest > penalty {
            return at + 1 - known;
        }
    }
    LONGEST
}

fn mean(lengths: &[usize]) -> f64 {
    lengths.iter().sum::<usize>() as f64 / lengths.len().max(1) as f64
}

fn main() -> Result<(), Box<dyn Error>> {
    let series: usize = std::env::args()
        .nth(1)
        .map_or(Ok(2000), |text| text.parse())?;
    let mut out = std::io::stdout().lock();
    let mut draw = SmallRng::seed_from_u64(1);
    let mut lengths = |noise, penalty, shape| {
        let all: Vec<usize> = (0..series)
            .map(|_| run(&mut draw, noise, penalty, shape))
            .collect();
        all
    };
    writeln!(
        out,
        "| penalty | mean run length to a false alarm |\n|---|---|"
    )?;
    for penalty in [11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0] {
        let found = mean(&lengths(KINDS[0].1, penalty, (0, 0.0)));
        writeln!(out, "| {penalty} | {found:.0} |")?;
    }
    writeln!(out, "\n| noise | mean run length at {PENALTY} |\n|---|---|")?;
    for (name, noise) in KINDS {
        let found = mean(&lengths(noise, PENALTY, (0, 0.0)));
        writeln!(out, "| {name} | {found:.0} |")?;
    }
    writeln!(
        out,
        "\n| change, in deviations | after 10 values | after 100 |\n|---|---|---|"
    )?;
    for change in [1.0, 1.5, 2.0, 3.0, 5.0] {
        let [few, many] =
            [10, 100].map(|known| mean(&lengths(KINDS[0].1, PENALTY, (known, change))));
        writeln!(out, "| {change} | {few:.1} | {many:.1} |")?;
    }
    Ok(())
}
