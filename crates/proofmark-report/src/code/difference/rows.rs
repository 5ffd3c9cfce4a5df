//! The facts in which two functions differ, and what functions are called.

use proofmark_code::{Fact, Facts, Image};

use crate::text::printable;

/// The name of a function, safe to print.
pub(super) fn name(image: &Image, index: usize) -> String {
    printable(&image.functions()[index].name())
}

/// The facts that differ, with their numbers in the base and in the new function. Where a function
/// stands is no fact of its content.
pub(super) fn differing<'a>(
    base: &'a Facts,
    new: &'a Facts,
) -> impl Iterator<Item = (Fact, u64, u64)> + 'a {
    let place = [
        Fact::PaddingAfter,
        Fact::Branches32,
        Fact::Branches64,
        Fact::Lines64,
        Fact::L1iSets,
    ];
    let pairs = base
        .iter()
        .zip(new.iter())
        .map(|((f, a), (_, b))| (f, a, b));
    pairs.filter(move |(f, a, b)| a != b && !place.contains(f))
}
