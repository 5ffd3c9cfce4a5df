//! Each address beside all that its blocks hold.

use super::measured::{BlockValues, Cell};
use crate::moments::Moments;

/// How often effects are worked out from one another. Each time leaves about one in as many parts
/// as a block has images of what was still wrong.
const PASSES: usize = 4;

/// What each address was in each of its blocks.
pub(super) struct Beside {
    pub(super) cells: Vec<Cell>,
    /// Variance of the mean that they all are beside, on the scale of ln.
    pub(super) anchor: f64,
}

/// Each address in each block beside the anchor alone.
pub(super) fn beside_anchor(blocks: &[BlockValues]) -> Vec<Cell> {
    let cells = blocks.iter().enumerate().flat_map(|(block, values)| {
        let each = values.beside_anchor();
        each.map(move |(address, value)| Cell {
            address,
            block,
            value,
        })
    });
    cells.collect()
}

/// Each address in each block beside the rest of the block: intra-block analysis (Yates 1936,
/// *Incomplete randomized blocks*) with medians in place of means (Tukey 1977, *Exploratory data
/// analysis*, chapter 11, median polish).
///
/// The anchor is one image, whose noise everything beside it would share. What the other images of
/// the block measure, less what their addresses do, is the same level, and all of them together
/// know it better. Where every block holds all the addresses there is nothing more to be known, and
/// the anchor alone is taken.
pub(super) fn beside_the_rest(count: usize, blocks: &[BlockValues]) -> Beside {
    let alone = beside_anchor(blocks);
    let mut effects = means(count, &alone);
    let known = effects.iter().filter(|effect| effect.count() > 0).count();
    if blocks
        .iter()
        .all(|block| block.addresses().count() == known)
    {
        return Beside {
            cells: alone,
            anchor: 0.0,
        };
    }
    let mut told = (Vec::new(), Moments::default());
    for _ in 0..PASSES {
        let now: Vec<f64> = effects.iter().map(Moments::mean).collect();
        told = (Vec::with_capacity(alone.len()), Moments::default());
        for (block, values) in blocks.iter().enumerate() {
            let beside = values.beside_the_rest(&now);
            told.1.add(beside[0]);
            for (address, value) in values.addresses().zip(&beside[1..]) {
                told.0.push(Cell {
                    address,
                    block,
                    value: *value,
                });
            }
        }
        effects = means(count, &told.0);
    }
    let error = told.1.standard_error().unwrap_or(f64::INFINITY);
    Beside {
        cells: told.0,
        anchor: error * error,
    }
}

/// The cells of each address.
pub(super) fn means(count: usize, cells: &[Cell]) -> Vec<Moments> {
    let mut moments = vec![Moments::default(); count];
    for cell in cells {
        if let Some(moments) = moments.get_mut(cell.address) {
            moments.add(cell.value);
        }
    }
    moments
}
