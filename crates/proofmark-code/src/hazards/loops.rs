//! Loops of a function against lines of code.

use crate::address::Address;
use crate::crossings::{Crossings, crosses};

/// A loop where an image has it: from the instruction that a jump back leads to, up to behind the
/// last such jump. Nested loops are loops of their own, and parts of the outer one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopPlace {
    /// Where it begins.
    pub head: Address,
    /// Length of its first instruction, in bytes.
    pub head_bytes: u64,
    /// The first address behind it.
    pub end: Address,
}

impl LoopPlace {
    /// Its length, in bytes: at least one.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.end.get() - self.head.get()
    }

    /// Whether its first instruction crosses a line of so many bytes.
    #[must_use]
    pub fn begins_across(&self, line: u64) -> bool {
        crosses(self.head.get(), self.head_bytes, line)
    }

    /// How many lines of so many bytes it touches.
    #[must_use]
    pub fn lines(&self, line: u64) -> u64 {
        (self.end.get() - 1) / line - self.head.get() / line + 1
    }

    /// The fewest lines of so many bytes that can hold it, wherever it stands.
    #[must_use]
    pub fn fewest_lines(&self, line: u64) -> u64 {
        self.bytes().div_ceil(line)
    }
}

/// The loops of a function that starts at an address.
pub(super) fn of(crossings: &Crossings, start: u64) -> Vec<LoopPlace> {
    let heads = crossings.loop_heads().iter().zip(crossings.loop_bodies());
    heads
        .map(|((offset, head_bytes), (_, end))| LoopPlace {
            head: Address::new(start + offset),
            head_bytes: *head_bytes,
            end: Address::new(start + end),
        })
        .collect()
}
