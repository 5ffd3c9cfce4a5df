//! How often the intervals of a design miss, on simulated normal blocks.

use std::fmt::Write as _;

use proofmark_stats::Looks;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;

/// Designs to simulate: confidence, comparisons, first and last look.
const DESIGNS: [(f64, u32, u32, u32); 10] = [
    (0.95, 1, 8, 60),
    (0.95, 1, 2, 3),
    (0.95, 1, 2, 20),
    (0.95, 1, 3, 10),
    (0.95, 1, 5, 30),
    (0.95, 1, 20, 60),
    (0.95, 1, 8, 200),
    (0.95, 3, 8, 60),
    (0.90, 1, 8, 60),
    (0.99, 1, 8, 60),
];

/// One line a design: α′, the paths, and on how many of them an interval missed.
pub(crate) fn record(paths: u32) -> String {
    let mut lines = String::from("confidence,comparisons,min,max,nominal_alpha,paths,missed\n");
    for (index, (confidence, comparisons, min, max)) in DESIGNS.into_iter().enumerate() {
        let looks = Looks::new(confidence, min, max, comparisons).expect("a possible design");
        let missed = missed(&looks, paths, index as u64);
        let _ = writeln!(
            lines,
            "{confidence},{comparisons},{min},{max},{:.6e},{paths},{missed}",
            looks.nominal_alpha()
        );
    }
    lines
}

fn missed(looks: &Looks, paths: u32, seed: u64) -> u32 {
    let mut rng = SmallRng::seed_from_u64(seed);
    // |t| > c means S² > n·Q·c² ÷ (n − 1 + c²), with S the sum and Q the sum of squares.
    let bounds: Vec<f64> = (0..=looks.max())
        .map(|n| {
            looks.critical(n).map_or(f64::INFINITY, |c| {
                f64::from(n) * c * c / (f64::from(n) - 1.0 + c * c)
            })
        })
        .collect();
    let mut missed = 0;
    for _ in 0..paths {
        let (mut sum, mut squares) = (0.0_f64, 0.0_f64);
        let misses = bounds[1..].iter().any(|bound| {
            let block: f64 = rng.sample(StandardNormal);
            sum += block;
            squares += block * block;
            sum * sum > squares * bound
        });
        missed += u32::from(misses);
    }
    missed
}
