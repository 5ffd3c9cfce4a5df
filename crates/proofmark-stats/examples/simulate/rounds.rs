//! How the rounds of a block should be put together, when some of them are disturbed and their
//! layout is the same, and how many there should be.

use std::fmt::Write as _;

use rand::SeedableRng;
use rand::rngs::SmallRng;

use crate::known_truth::Noise;
use crate::promise::{rule, tally};

const BLOCKS: u32 = 200_000;

/// What the rounds of a block leave of their noise, in margins.
const LEFT: [f64; 5] = [0.35, 0.5, 0.75, 1.0, 1.4];

/// How far layouts spread, in margins.
const LAYOUTS: [f64; 3] = [0.0, 0.5, 1.0];

pub(crate) fn tables() -> String {
    [together(), how_many()].join("\n")
}

/// Blocks and rounds to a verdict by how many rounds a block has.
fn how_many() -> String {
    let rule = rule(8, 1);
    let mut text = String::from(
        "Rounds to a verdict in all (blocks; found or called equivalent, in %), by what the rounds of a block leave of their noise. A round's noise is one margin. Normal noise, looks after each of 8 to 60 blocks, margin 1 %.\n\n\
         | layouts spread by | noise left in a block | no effect | effect of the margin | of twice the margin |\n|---|---|---|---|---|\n",
    );
    for layouts in LAYOUTS {
        for left in LEFT {
            let cells = [0.0, 1.0, 2.0].map(|effect| {
                let said = tally(&rule, Noise::Normal, effect, left.hypot(layouts));
                let right = if effect > 0.0 {
                    said.share(said.slower)
                } else {
                    said.inside()
                };
                let blocks = said.mean_blocks();
                format!(
                    "{:.0} ({blocks:.1}; {:.1})",
                    blocks / left.powi(2),
                    right * 100.0
                )
            });
            let _ = writeln!(
                text,
                "| {layouts} margins | {left} margins | {} |",
                cells.join(" | ")
            );
        }
    }
    text
}

/// Variance of a block's effect for each way, in units of the variance of an undisturbed round.
fn together() -> String {
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
