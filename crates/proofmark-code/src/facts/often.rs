//! Counts of traits of instructions, those that are often there all at once.

use super::Fact;
use crate::decode::Traits;

/// Facts that count traits that are often there.
pub(super) const OFTEN: [(Traits, Fact); 5] = [
    (Traits::STACK_LOAD, Fact::StackLoads),
    (Traits::STACK_STORE, Fact::StackStores),
    (Traits::PUSH, Fact::Pushes),
    (Traits::POP, Fact::Pops),
    (Traits::ATOMIC, Fact::Atomics),
];
/// Facts that count traits that are seldom there, besides padding.
pub(super) const SELDOM: [(Traits, Fact); 5] = [
    (Traits::DIVISION, Fact::Divisions),
    (Traits::FLOAT_DIVISION, Fact::FloatDivisions),
    (Traits::FENCE, Fact::Fences),
    (Traits::UNKNOWN, Fact::Undecoded),
    (Traits::DATA, Fact::Undecoded),
];

/// Counts of the traits that are often there, all at once: nothing foretells which of them an
/// instruction has.
#[derive(Default)]
pub(super) struct Often {
    /// A count in each byte, by the number of the trait's bit.
    lanes: u64,
    counts: [u32; 8],
}

impl Often {
    #[inline]
    pub(super) fn add(&mut self, traits: Traits) {
        // Of copies of the seven bits, seven bits apart, the i-th one's i-th bit is the lowest of
        // the i-th byte.
        let copies = u64::from(traits.0 & Traits::OFTEN.0) * 0x0408_1020_4081;
        self.lanes += copies & 0x01_0101_0101_0101;
        if self.lanes & 0x80_8080_8080_8080 != 0 {
            self.empty();
        }
    }

    pub(super) fn empty(&mut self) {
        for (count, lane) in self.counts.iter_mut().zip(self.lanes.to_le_bytes()) {
            *count += u32::from(lane);
        }
        self.lanes = 0;
    }

    /// Of a trait whose counts are not in the bytes.
    pub(super) fn of(&self, often: Traits) -> u32 {
        self.counts[often.0.trailing_zeros() as usize]
    }
}
