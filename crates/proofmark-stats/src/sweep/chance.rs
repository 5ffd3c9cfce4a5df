//! Whether addresses differ by more than chance, by permutation within blocks.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::beside::{beside_anchor, beside_the_rest};
use super::measured::{BlockValues, Cell};

/// Permutations drawn: the least p value is one in so many and one more.
const DRAWS: u32 = 999;

/// What chance does to addresses that are all alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chance {
    /// How often addresses that are all alike would differ as much, 0 to 1.
    pub p_value: f64,
    /// The distance from the least to the greatest mean that noise alone makes, in the median, on
    /// the scale of ln.
    pub noise_range: f64,
}

/// Whether addresses differ by more than chance. In a block everything but the address is shared,
/// so where addresses are all alike, its values could have come at any of its addresses: they are
/// exchanged within each block at random, 999 times. The statistic is the sum of squares between
/// addresses of ln(address ÷ anchor) when each block's mean is taken away. Exact for any
/// distribution of noise and any bursts as long as a block. The range that noise makes is that of
/// exchanged residuals, which know nothing of the addresses' means. None where no block has two
/// addresses.
#[must_use]
pub fn differ_beyond_chance(count: usize, blocks: &[BlockValues], seed: u64) -> Option<Chance> {
    let known = |cell: &Cell| cell.address < count && cell.value.is_finite();
    let mut cells = beside_anchor(blocks);
    cells.retain(known);
    let mut noise = beside_the_rest(count, blocks).cells;
    noise.retain(known);
    let noise = in_blocks(&noise).filter(|(places, _)| places.len() > 1);
    let mut noise = residuals(count, &noise.collect::<Vec<_>>());
    let mut blocks: Vec<(Vec<usize>, Vec<f64>)> = in_blocks(&cells)
        .filter(|(places, _)| places.len() > 1)
        .map(|(places, values)| {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            (places, values.iter().map(|value| value - mean).collect())
        })
        .collect();
    if blocks.is_empty() {
        return None;
    }
    let observed = Between::of(count, &blocks);
    let mut draw = ChaCha8Rng::seed_from_u64(seed);
    let mut ranges = Vec::with_capacity(DRAWS as usize);
    let mut as_large = 0_u32;
    for _ in 0..DRAWS {
        for (_, values) in &mut blocks {
            values.shuffle(&mut draw);
        }
        let drawn = Between::of(count, &blocks);
        // What differs in the last digits only is a tie.
        as_large += u32::from(drawn.squares >= observed.squares * (1.0 - 1e-12));
        for (_, values) in &mut noise {
            values.shuffle(&mut draw);
        }
        ranges.push(Between::of(count, &noise).range);
    }
    Some(Chance {
        p_value: f64::from(as_large + 1) / f64::from(DRAWS + 1),
        noise_range: crate::median(&ranges)?,
    })
}

/// The addresses and values of each block.
fn in_blocks(cells: &[Cell]) -> impl Iterator<Item = (Vec<usize>, Vec<f64>)> {
    let blocks = cells.chunk_by(|a, b| a.block == b.block);
    blocks.map(|block| block.iter().map(|cell| (cell.address, cell.value)).unzip())
}

/// The blocks with each address's mean taken away: noise alone. What taking a mean of n values away
/// takes of their variance is given back: n ÷ (n − 1).
fn residuals(count: usize, blocks: &[(Vec<usize>, Vec<f64>)]) -> Vec<(Vec<usize>, Vec<f64>)> {
    let mut sums = vec![(0.0, 0.0); count];
    for (places, values) in blocks {
        for (place, value) in places.iter().zip(values) {
            sums[*place].0 += value;
            sums[*place].1 += 1.0;
        }
    }
    let left = |(place, value): (&usize, &f64)| {
        let (sum, n): (f64, f64) = sums[*place];
        if n > 1.0 {
            (value - sum / n) * (n / (n - 1.0)).sqrt()
        } else {
            *value
        }
    };
    blocks
        .iter()
        .map(|(places, values)| {
            let values = places.iter().zip(values).map(left).collect();
            (places.clone(), values)
        })
        .collect()
}

/// What lies between addresses.
struct Between {
    squares: f64,
    range: f64,
}

impl Between {
    fn of(count: usize, blocks: &[(Vec<usize>, Vec<f64>)]) -> Between {
        let mut sums = vec![(0.0, 0.0); count];
        for (places, values) in blocks {
            for (place, value) in places.iter().zip(values) {
                sums[*place].0 += value;
                sums[*place].1 += 1.0;
            }
        }
        let (mut squares, mut least, mut most) = (0.0, f64::INFINITY, f64::NEG_INFINITY);
        for (sum, blocks) in sums.into_iter().filter(|(_, blocks)| *blocks > 0.0) {
            let mean = sum / blocks;
            squares += sum * mean;
            least = least.min(mean);
            most = most.max(mean);
        }
        Between {
            squares,
            range: most - least,
        }
    }
}
