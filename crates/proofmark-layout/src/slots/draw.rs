//! Where each function goes in its slot. Pure: nothing here knows of files or linkers.

use rand::RngExt;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::draw::{Function, Placement};

/// Line of a cache, in bytes: any function's start is drawn anew within it.
const LINE: u64 = 64;
/// Page, in bytes: starts of the functions in question are drawn anew within it.
const PAGE: u64 = 4096;
/// Changing what is drawn for a seed means changing this, so that a recorded seed never silently
/// means another layout.
const DRAW_VERSION: &str = "proofmark slot draw 1";

/// The slots of the functions of a build, in the build's own order.
#[derive(Debug)]
pub(super) struct Slots {
    slots: Vec<Slot>,
    end: u64,
}

/// A function starts at so many multiples of its alignment behind the first.
#[derive(Clone, Copy, Debug)]
struct Slot {
    first: u64,
    alignment: u64,
    starts: u64,
}

impl Slots {
    /// Slots for these functions; `wide` says whose starts are drawn anew within a page.
    pub(super) fn of(functions: &[Function], wide: &[bool]) -> Slots {
        let mut end = 0;
        let slot = |(function, wide): (&Function, &bool)| {
            let alignment = function.alignment.max(1);
            let width = if *wide { PAGE } else { LINE };
            let slot = Slot {
                first: u64::next_multiple_of(end, alignment),
                alignment,
                starts: (width / alignment).max(1),
            };
            end = slot.first + (slot.starts - 1) * alignment + function.slot;
            slot
        };
        let slots = functions.iter().zip(wide).map(slot).collect();
        Slots { slots, end }
    }

    /// Bytes that hold all layouts: as much in each, so that nothing behind the code moves.
    pub(super) fn room(&self) -> u64 {
        (self.end + 1).next_multiple_of(PAGE)
    }
}

/// Where each function goes when its place is drawn from its own seed, in the order of addresses.
/// What is drawn for a function comes from hash(seed, key of the function) alone.
pub(super) fn draw(functions: &[Function], slots: &Slots, seeds: &[u64]) -> Vec<Placement> {
    let each = functions.iter().zip(&slots.slots).zip(seeds).enumerate();
    each.map(|(function, ((drawn, slot), seed))| {
        let mut hasher = blake3::Hasher::new_derive_key(DRAW_VERSION);
        hasher.update(&seed.to_le_bytes());
        hasher.update(drawn.key.as_bytes());
        let mut rng = ChaCha8Rng::from_seed(*hasher.finalize().as_bytes());
        let gap = slot.alignment * rng.random_range(0..slot.starts);
        Placement {
            function,
            gap,
            start: slot.first + gap,
        }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn functions() -> Vec<Function> {
        let function = |(index, alignment): (u64, u64)| Function {
            key: format!("f{index}"),
            alignment,
            slot: 37 + 100 * (index % 5),
        };
        let alignments = [16, 1, 64, 128].into_iter().cycle();
        (0..40).zip(alignments).map(function).collect()
    }

    #[test]
    fn a_place_depends_on_its_own_seed_alone_and_nothing_overlaps() {
        let functions = functions();
        let wide: Vec<bool> = (0..40).map(|index| index % 8 == 0).collect();
        let slots = Slots::of(&functions, &wide);
        let all = draw(&functions, &slots, &[7; 40]);
        for round in 0..50 {
            let mut seeds = [100 + round; 40];
            seeds[8] = 7;
            seeds[9] = 7;
            let drawn = draw(&functions, &slots, &seeds);
            assert_eq!(drawn[8..10], all[8..10]);
            assert_ne!(drawn[16], all[16]);
            for (one, function) in drawn.iter().zip(&functions) {
                assert!(one.start.is_multiple_of(function.alignment));
            }
            for pair in drawn.windows(2) {
                assert!(pair[0].start + functions[pair[0].function].slot <= pair[1].start);
            }
            let last = drawn.last().unwrap();
            assert!(last.start + functions[39].slot <= slots.room());
        }
    }

    #[test]
    fn starts_are_even_over_a_page_where_asked_and_over_a_line_elsewhere() {
        let functions = &functions()[..5];
        let wide = [false, false, false, false, true];
        let slots = Slots::of(functions, &wide);
        let (mut pages, mut lines) = ([0; 16], [0; 4]);
        for seed in 0..3_200 {
            let drawn = draw(functions, &slots, &[seed; 5]);
            pages[usize::try_from(drawn[4].start % 4096 / 256).unwrap()] += 1;
            lines[usize::try_from(drawn[0].start % 64 / 16).unwrap()] += 1;
        }
        assert!(
            pages.iter().all(|count| (140..260).contains(count)),
            "{pages:?}"
        );
        assert!(
            lines.iter().all(|count| (700..900).contains(count)),
            "{lines:?}"
        );
    }
}
