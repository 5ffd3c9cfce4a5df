//! How the rounds of a block should be put together, when some of them are disturbed and their layout is the same.

use std::fmt::Write as _;

use rand::SeedableRng;
use rand::rngs::SmallRng;

use crate::known_truth::Noise;

const BLOCKS: u32 = 200_000;

/// Variance of a block's effect for each way, in units of the variance of an undisturbed round.
pub(crate) fn table() -> String {
    let mut text = format!(
        "Variance of what a block's rounds come to, in variances of an undisturbed round; {BLOCKS} blocks a cell. \
         Midmean: the mean without the lowest and highest quarter (rounded down).\n\n\
         | rounds | disturbed (8 σ, either side) | mean | midmean | median |\n|---|---|---|---|---|\n"
    );
    for rounds in [2, 3, 4, 6, 8, 12] {
        for share in [0.0, 0.01, 0.05, 0.1] {
            let [mean, midmean, median] = variances(rounds, share);
            let _ = writeln!(
                text,
                "| {rounds} | {} % | {mean:.3} | {midmean:.3} | {median:.3} |",
                share * 100.0
            );
        }
    }
    text
}

fn variances(rounds: usize, share: f64) -> [f64; 3] {
    let mut rng = SmallRng::seed_from_u64(13);
    let mut block = vec![0.0; rounds];
    let mut squares = [0.0; 3];
    for _ in 0..BLOCKS {
        Noise::OffBothSides(share).fill(&mut block, &mut rng);
        block.sort_by(f64::total_cmp);
        for (sum, cut) in squares.iter_mut().zip([0, rounds / 4, (rounds - 1) / 2]) {
            let kept = &block[cut..rounds - cut];
            *sum += (kept.iter().sum::<f64>() / kept.len() as f64).powi(2);
        }
    }
    squares.map(|sum| sum / f64::from(BLOCKS))
}
