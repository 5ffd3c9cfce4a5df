//! A layout drawn from a seed: an order of functions and the gap before each. Pure: nothing here
//! knows of files or linkers.
//!
//! **Keyed draws.** Everything drawn for a function comes from hash(seed, key of the function)
//! alone, so that a function added to one build changes no draw of another. The order of `shuffle`
//! is the order of such hashes: a uniform permutation in which a function more or less leaves the
//! others' relative order alone.
//!
//! **Gaps.** Two parts, both multiples of the function's alignment:
//! * a *near* gap before every function, uniform over the multiples of its alignment below 64
//!   bytes: each start is uniform and independent modulo the line of a cache and the window of a
//!   fetch. Mean 24 bytes at alignment 16, so the density of lines and pages stays nearly that of
//!   the build.
//! * in `pad`, a *far* gap before one function in 64, uniform over the multiples of 64 bytes below
//!   4096: what a function more or less somewhere in between does. Near gaps alone drift by 18·√k
//!   bytes over k functions, too little to draw anew which functions meet in a set of a cache or of
//!   a branch predictor. Mean 32 bytes a function; it takes no line, only pages. `shuffle` has no
//!   need of it.
//!
//! The block of all functions starts at a multiple of 64 bytes within a page, drawn as well.

use rand::RngExt;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use proofmark_terms::Population;

/// Line of a cache, in bytes: near gaps draw a start anew within it.
const LINE: u64 = 64;
/// Page, in bytes: far gaps draw a start anew within it.
const PAGE: u64 = 4096;
/// One function in so many gets a far gap.
const FAR_EVERY: u64 = 64;
/// Changing what is drawn for a seed means changing this, so that a recorded seed never silently
/// means another layout.
const DRAW_VERSION: &str = "proofmark layout draw 1";

/// What a layout places: a function, or what of the code can only be moved as one piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name over all builds: unique within a layout.
    pub key: String,
    /// Alignment in bytes: a power of two. 0 counts as 1.
    pub alignment: u64,
    /// Bytes kept for it: the size of its largest version.
    pub slot: u64,
}

/// Where a function goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Index of the function in what was drawn from.
    pub function: usize,
    /// Bytes drawn before it, beyond its alignment.
    pub gap: u64,
    /// Bytes from the start of the block to its own.
    pub start: u64,
}

/// The layout of these functions, given in the build's own order, that a seed stands for: in the
/// order of addresses.
#[must_use]
pub fn draw(functions: &[Function], seed: u64, population: Population) -> Vec<Placement> {
    let source = source(seed);
    let mut drawn: Vec<(u128, Placement)> = functions
        .iter()
        .enumerate()
        .map(|(index, function)| {
            let mut rng = keyed(&source, &function.key);
            let rank: u128 = rng.random();
            let gap = gap(&mut rng, alignment(function), population);
            (
                rank,
                Placement {
                    function: index,
                    gap,
                    start: 0,
                },
            )
        })
        .collect();
    if population == Population::Shuffle {
        drawn.sort_by_key(|(rank, placement)| (*rank, placement.function));
    }
    let mut end = LINE * keyed(&source, "").random_range(0..PAGE / LINE);
    let place = |(_, mut placement): (u128, Placement)| {
        let function = &functions[placement.function];
        placement.start = end.next_multiple_of(alignment(function)) + placement.gap;
        end = placement.start + function.slot;
        placement
    };
    drawn.into_iter().map(place).collect()
}

/// Bytes that hold the layout of every seed: images of all seeds are made this long, so that what
/// lies behind the code stays where it is.
///
/// Enough but for one draw in 10¹⁵: the sum of near gaps stays within 4.2·64·√n of its mean
/// (Hoeffding's inequality), and no more far gaps come than their mean, eight standard deviations
/// and eight more (Chernoff's bound). What alignment adds is bounded by the least alignment, of
/// which every end is a multiple where slots are.
#[must_use]
pub fn room(functions: &[Function]) -> u64 {
    let count = functions.len() as u64;
    let least = functions
        .iter()
        .map(|function| alignment(function).min(1 << function.slot.trailing_zeros().min(12)))
        .min()
        .unwrap_or(1);
    let fixed: u64 = functions
        .iter()
        .map(|function| function.slot + alignment(function) - least.min(alignment(function)))
        .sum();
    let most: u64 = functions
        .iter()
        .map(|function| LINE.saturating_sub(alignment(function)))
        .sum();
    let near = most.min(most / 2 + LINE * 42 * (count.isqrt() + 1) / 10);
    let mean = count.div_ceil(FAR_EVERY);
    let far = (mean + 8 * (mean.isqrt() + 1) + 8).min(count);
    (fixed + near + (far + 1) * PAGE).next_multiple_of(PAGE)
}

fn alignment(function: &Function) -> u64 {
    function.alignment.max(1)
}

fn gap(rng: &mut ChaCha8Rng, alignment: u64, population: Population) -> u64 {
    let near = alignment * rng.random_range(0..(LINE / alignment).max(1));
    let step = alignment.max(LINE);
    let far = step * rng.random_range(0..(PAGE / step).max(1));
    let chosen = rng.random_range(0..FAR_EVERY) == 0;
    near + if chosen && population == Population::Pad {
        far
    } else {
        0
    }
}

/// What all draws of a seed begin with.
fn source(seed: u64) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new_derive_key(DRAW_VERSION);
    hasher.update(&seed.to_le_bytes());
    hasher
}

fn keyed(source: &blake3::Hasher, key: &str) -> ChaCha8Rng {
    let mut hasher = source.clone();
    hasher.update(key.as_bytes());
    ChaCha8Rng::from_seed(*hasher.finalize().as_bytes())
}
