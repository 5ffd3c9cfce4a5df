//! Where data goes in the layout of a seed: gaps before it. Pure: nothing here knows of files.
//!
//! Data keeps the build's order. What of it shares a line, a set of a cache, or the low bits of an
//! address, decides how fast a program is, as the place of its code does.
//!
//! * The *lead* in front of a block is uniform over the multiples of its least alignment below
//!   4096 bytes: by it alone each datum starts anywhere within a page that its alignment allows.
//! * A *near* gap before a datum, uniform over the multiples of its alignment below 64 bytes, draws
//!   its place in a line apart from what stands before it. A datum of n bytes gets one with a
//!   chance of n in 256: small data that stands together stays together, or it would take up more
//!   lines than in any build.
//! * A *far* gap, uniform over the multiples of 64 bytes below 4096, draws how far apart two large
//!   data are modulo a page: a load that follows a store to an equal offset waits for it. A datum
//!   of n bytes, at least 2048, gets one with a chance of n in 16,384.
//! * A *loose* gap stands behind each datum of an alignment of 16 bytes or more, before one of a
//!   smaller alignment. It is uniform over the multiples of the smaller one below the larger one (and
//!   below 64 bytes): no gap before the first datum would move the second within that alignment.
//!   Small data behind goes along. Often the gap takes no room, for the next datum of a large
//!   alignment would leave as much free in front of itself.
//!
//! So near and far gaps add at most a quarter to any data in the mean. They come from hash(seed,
//! key of the datum) alone, as those of functions do; how long a loose gap may be is a matter of the
//! datum before it too.

use std::collections::HashMap;

use rand::RngExt;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::{Frame, Row, Slots};

/// Line of a cache, in bytes.
const LINE: u64 = 64;
/// Page, in bytes.
pub(crate) const PAGE: u64 = 4096;
/// A datum of so many bytes always gets a near gap.
const NEAR: u64 = 256;
/// A datum of so many bytes always gets a far gap.
const FAR: u64 = 16_384;
/// The least datum that gets one, in bytes: gaps take room in the copies of its object.
const LEAST_FAR: u64 = 2048;
/// Behind a datum of so large an alignment stands a loose one, in bytes.
const LOOSE: u64 = 16;
/// Changing what is drawn for a seed means changing this, so that a recorded seed never silently
/// means another layout.
const DRAW_VERSION: &str = "proofmark data draw 2";
/// −ln of the chance that gaps take more room than there is: 10⁻¹⁵.
const SURELY: u64 = 35;

/// Gaps of one layout, in bytes.
pub(super) struct Gaps {
    /// Before the first row.
    pub(super) lead: u64,
    /// Before each row, beyond its alignment.
    pub(super) before: Vec<u64>,
    /// The whole block takes so many in each layout, so that nothing behind it moves.
    pub(super) room: u64,
}

impl Gaps {
    pub(super) fn none(rows: usize) -> Gaps {
        Gaps {
            lead: 0,
            before: vec![0; rows],
            room: 0,
        }
    }
}

/// The gaps that a datum may get.
#[derive(Clone, Copy)]
struct Kind {
    /// They are the multiples of this, in bytes.
    step: u64,
    /// So many of them, 0 included.
    count: u64,
    /// It gets one with a chance of so many bytes …
    size: u64,
    /// … in so many.
    always: u64,
}

impl Kind {
    fn near(row: &Row) -> Kind {
        Kind {
            step: row.alignment,
            count: (LINE / row.alignment).max(1),
            size: row.size.min(NEAR),
            always: NEAR,
        }
    }

    fn far(row: &Row) -> Kind {
        let step = row.alignment.max(LINE);
        let gets = row.size >= LEAST_FAR;
        Kind {
            step,
            count: if gets { (PAGE / step).max(1) } else { 1 },
            size: row.size.min(FAR),
            always: FAR,
        }
    }

    fn loose(row: &Row, before: Option<&Row>) -> Kind {
        let below = before.map_or(1, |before| before.alignment.min(LINE));
        Kind {
            step: row.alignment,
            count: if below >= LOOSE {
                (below / row.alignment).max(1)
            } else {
                1
            },
            size: 1,
            always: 1,
        }
    }

    /// The largest, in bytes.
    fn most(self) -> u64 {
        self.step * (self.count - 1)
    }

    fn draw(self, rng: &mut ChaCha8Rng) -> u64 {
        let gap = self.step * rng.random_range(0..self.count);
        let gets = rng.random_range(0..self.always) < self.size;
        if gets { gap } else { 0 }
    }
}

/// Bytes in front of a section of which nothing else is drawn: a multiple of its alignment, within
/// a page.
pub(crate) fn lead(section: &str, alignment: u64, seed: u64) -> u64 {
    uniform(&mut keyed(&source(seed), section, ""), alignment)
}

/// Any multiple of an alignment within a page.
fn uniform(rng: &mut ChaCha8Rng, alignment: u64) -> u64 {
    alignment * rng.random_range(0..(PAGE / alignment).max(1))
}

/// What all draws of a seed begin with.
fn source(seed: u64) -> blake3::Hasher {
    let mut source = blake3::Hasher::new_derive_key(DRAW_VERSION);
    source.update(&seed.to_le_bytes());
    source
}

/// What is drawn for a key of a block.
fn keyed(source: &blake3::Hasher, block: &str, key: &str) -> ChaCha8Rng {
    let mut hasher = source.clone();
    // No name of a block holds a zero byte.
    hasher.update(block.as_bytes()).update(&[0]);
    hasher.update(key.as_bytes());
    ChaCha8Rng::from_seed(*hasher.finalize().as_bytes())
}

impl Frame {
    /// The layout of a seed; `block` names this block among those of a build.
    pub(crate) fn drawn(&self, block: &str, seed: u64) -> Slots {
        if !self.draws {
            return self.packed();
        }
        let source = source(seed);
        let gap = |(row, kinds): (&Row, [Kind; 3])| {
            let mut rng = keyed(&source, block, &row.key);
            kinds.map(|kind| kind.draw(&mut rng)).iter().sum()
        };
        self.lay(&Gaps {
            lead: uniform(&mut keyed(&source, block, ""), self.least_alignment()),
            before: self.kinds().map(gap).collect(),
            room: self.room(),
        })
    }

    /// Most bytes that each unit of a build takes up in any layout.
    pub(crate) fn most(&self, build: usize) -> HashMap<u32, u64> {
        if !self.draws {
            return self.packed().sizes.swap_remove(build);
        }
        let mut most = HashMap::new();
        let (mut open, mut before): (Option<(u32, u64)>, u64) = (None, 0);
        for (row, kinds) in self.kinds() {
            let gap = kinds.map(Kind::most).iter().sum::<u64>() + row.alignment - 1;
            if let Some((_, size)) = &mut open {
                *size += gap;
            }
            if let Some(unit) = row.units[build] {
                most.extend(open.replace((unit, 0)));
            }
            if let Some((_, size)) = &mut open {
                *size += row.size;
            }
            before += row.size;
        }
        // The last goes on to the end of the block.
        if let Some((unit, size)) = open {
            most.insert(unit, size + self.room().saturating_sub(before));
        }
        most
    }

    /// Each row with the gaps before it that are drawn.
    fn kinds(&self) -> impl Iterator<Item = (&Row, [Kind; 3])> {
        let before = std::iter::once(None).chain(self.rows.iter().map(Some));
        let of = |(row, before)| {
            (
                row,
                [Kind::near(row), Kind::far(row), Kind::loose(row, before)],
            )
        };
        self.rows.iter().zip(before).map(of)
    }

    fn least_alignment(&self) -> u64 {
        let alignments = self.rows.iter().map(|row| row.alignment);
        alignments.min().unwrap_or(1).min(PAGE)
    }

    /// Bytes that hold the layout of every seed, but for one in 10¹⁵ (Bernstein's inequality: let
    /// gaps of at most M be independent, and V the sum of their variances. The chance that their
    /// sum is more than M·L/3 + √((M·L/3)² + 2·V·L) above its mean is at most e^−L; Boucheron,
    /// Lugosi and Massart 2013, section 2.8).
    fn room(&self) -> u64 {
        let least = self.least_alignment();
        let fixed: u64 = self
            .rows
            .iter()
            .map(|row| row.size + row.alignment - 1)
            .sum();
        let (mut sum, mut mean, mut variance, mut largest) = (0, 0, 0, 0);
        for kind in self.kinds().flat_map(|(_, kinds)| kinds) {
            let most = kind.most();
            sum += most;
            mean += (most * kind.size).div_ceil(2 * kind.always);
            // Of multiples of a step that are equally likely, 0 included, the mean of the squares
            // is at most half the largest's.
            variance += (most * most * kind.size).div_ceil(2 * kind.always);
            largest = largest.max(most);
        }
        let part = (largest * SURELY).div_ceil(3);
        let above = part + (part * part + 2 * variance * SURELY).isqrt() + 1;
        (PAGE.max(least) + fixed + sum.min(mean + above)).next_multiple_of(PAGE)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::data::Datum;
    use crate::data::tests::{datum, starts};

    /// A block whose rows go by their numbers.
    fn frame(builds: &[Vec<Datum>]) -> Frame {
        let mut frame = Frame::new(builds);
        frame.draw(|row| row.to_string());
        frame
    }

    #[test]
    fn a_datum_starts_at_any_multiple_of_its_alignment_within_a_page() {
        let data = [datum(0, 0, 24, 8), datum(1, 1, 600, 8), datum(2, 2, 3, 32)];
        let frame = frame(&[data.to_vec()]);
        let mut found: [HashSet<u64>; 3] = Default::default();
        for seed in 0..20_000 {
            let starts = starts(0, &data, &frame, &frame.drawn(".rodata", seed));
            for (row, found) in found.iter_mut().enumerate() {
                found.insert(starts[&row] % PAGE);
            }
        }
        let counts = found.map(|found| found.len());
        assert_eq!(counts, [512, 512, 128]);
    }

    /// Its place in a line is any that its alignment allows, and what stands behind it goes along.
    #[test]
    fn what_stands_behind_a_datum_of_larger_alignment_is_drawn_apart_from_it() {
        let data = [datum(0, 0, 64, 64), datum(1, 1, 8, 8), datum(2, 2, 8, 8)];
        let frame = frame(&[data.to_vec()]);
        let (mut found, mut along, seeds) = (HashMap::new(), 0, 2000);
        for seed in 0..seeds {
            let starts = starts(0, &data, &frame, &frame.drawn(".data", seed));
            assert_eq!(starts[&0] % 64, 0);
            *found.entry(starts[&1] - starts[&0] - 64).or_insert(0) += 1;
            along += u64::from(starts[&2] == starts[&1] + 8);
        }
        // Each of eight places in one of eight, but for a near gap here and there.
        let often = |place: u64| {
            found
                .get(&(8 * place))
                .is_some_and(|&times| times > seeds / 10)
        };
        assert!((0..8).all(often), "{found:?}");
        assert!(along > seeds * 9 / 10, "{along}");
    }

    /// Two large arrays apart from one another, small data together.
    #[test]
    fn large_data_is_drawn_apart_and_small_data_stays_together() {
        let mut data = vec![datum(0, 0, 65_536, 32), datum(1, 1, 65_536, 32)];
        data.extend((2..34).map(|unit| datum(unit, unit as usize, 8, 8)));
        let frame = frame(&[data.clone()]);
        let (mut apart, mut together, seeds) = (HashSet::new(), 0, 2000_u32);
        for seed in 0..seeds {
            let starts = starts(0, &data, &frame, &frame.drawn(".bss", seed.into()));
            apart.insert((starts[&1] - starts[&0]) % PAGE);
            together += (3..34)
                .filter(|row| starts[row] == starts[&(row - 1)] + 8)
                .count();
        }
        assert_eq!(apart.len(), 128);
        // One gap in 32, of which one in eight is none.
        let share = f64::from(u32::try_from(together).unwrap()) / f64::from(31 * seeds);
        assert!((share - (1.0 - 7.0 / 256.0)).abs() < 0.01, "{share}");
    }

    #[test]
    fn what_is_drawn_for_a_datum_does_not_hang_on_others() {
        let base = [datum(0, 0, 256, 8), datum(1, 1, 256, 8)];
        let new = [
            datum(0, 0, 256, 8),
            datum(1, 2, 256, 8),
            datum(2, 1, 256, 8),
        ];
        let [one, two] = [&base[..], &new[..]].map(|data| frame(&[data.to_vec()]));
        for seed in 0..50 {
            let own = starts(0, &base, &one, &one.drawn(".data", seed));
            let other = starts(0, &new, &two, &two.drawn(".data", seed));
            assert_eq!(own[&0], other[&0]);
            // The gap before the last, of which each is a multiple of 8.
            assert_eq!(own[&1] - own[&0] - 256, other[&1] - other[&2] - 256);
        }
    }

    proptest! {
        #[test]
        fn drawn_builds_are_in_step_and_equally_long(
            builds in prop::collection::vec(prop::collection::vec((0_usize..12, 1_u64..7000, 0_u32..7), 1..12), 1..4),
            seed: u64,
        ) {
            let builds: Vec<Vec<Datum>> = builds.iter().map(|rows| {
                let mut seen = HashSet::new();
                let rows = rows.iter().filter(|(row, ..)| seen.insert(*row));
                rows.zip(0..).map(|((row, size, power), unit)| datum(unit, *row, *size, 1 << power)).collect()
            }).collect();
            let frame = frame(&builds);
            let slots = frame.drawn(".data", seed);
            let starts: Vec<_> = builds.iter().enumerate().map(|(build, data)| starts(build, data, &frame, &slots)).collect();
            for row in (0..12).filter(|row| !frame.out_of_order.contains(row)).chain([usize::MAX]) {
                let found: HashSet<u64> = starts.iter().filter_map(|starts| starts.get(&row).copied()).collect();
                prop_assert!(found.len() <= 1, "row {row}: {found:?}");
            }
            for (build, starts) in starts.iter().enumerate() {
                prop_assert_eq!(starts[&usize::MAX], frame.room());
                let most = frame.most(build);
                for (unit, size) in &slots.sizes[build] {
                    prop_assert!(size <= &most[unit], "{size} of {}", most[unit]);
                }
            }
        }
    }
}
