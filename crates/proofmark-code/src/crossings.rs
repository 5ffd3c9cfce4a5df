//! What of a function crosses lines of code when the function stands elsewhere.

use crate::Arch;
use crate::decode::{Aarch64, Decode, Flow, Op, X86};
use crate::image::Image;

/// The instructions of a function for which lines of code matter, by their offsets from its start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Crossings {
    /// Offset and length of each branch of any kind, in bytes.
    branches: Vec<(u64, u64)>,
    /// Offset and length of the first instruction of each loop: what a jump back leads to.
    heads: Vec<(u64, u64)>,
    /// The offset behind the last jump back to each of the heads.
    ends: Vec<u64>,
}

impl Crossings {
    /// Of a function of an image, by its index.
    #[must_use]
    pub fn of(image: &Image, index: usize) -> Crossings {
        let Some(function) = image.functions().get(index) else {
            return Crossings::default();
        };
        let (code, start) = (image.code(function), function.address().get());
        match image.arch() {
            Arch::X86_64 => read(X86::new(code, start, &image.space), start),
            Arch::Aarch64 => read(Aarch64::new(code, start, &image.space), start),
        }
    }

    /// How many branches cross a line of so many bytes, or end on one, when the function starts at
    /// `address`.
    #[must_use]
    pub fn branches(&self, address: u64, line: u64) -> u64 {
        count(&self.branches, address, line, crosses_or_ends)
    }

    /// How many loops begin with an instruction that crosses a line of so many bytes when the
    /// function starts at `address`.
    #[must_use]
    pub fn heads(&self, address: u64, line: u64) -> u64 {
        count(&self.heads, address, line, crosses)
    }

    /// Offset and length, in bytes, of the first instruction of each loop.
    #[must_use]
    pub fn loop_heads(&self) -> &[(u64, u64)] {
        &self.heads
    }

    /// Each loop as a piece of code: the offset of its first instruction, and the offset behind the
    /// last jump back to it, in bytes. What the loop jumps over and back from lies outside.
    pub fn loop_bodies(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let heads = self.heads.iter().map(|(offset, _)| *offset);
        heads.zip(self.ends.iter().copied())
    }

    /// How many loops there are.
    #[must_use]
    pub fn loops(&self) -> usize {
        self.heads.len()
    }
}

/// Whether so many bytes of code, at least one, stand in more than one line.
pub(crate) fn crosses(start: u64, length: u64, line: u64) -> bool {
    start / line != start.wrapping_add(length - 1) / line
}

/// Whether so many bytes of code stand in more than one line, or end where a line ends.
pub(crate) fn crosses_or_ends(start: u64, length: u64, line: u64) -> bool {
    start / line != start.wrapping_add(length) / line
}

fn count(spans: &[(u64, u64)], address: u64, line: u64, is: impl Fn(u64, u64, u64) -> bool) -> u64 {
    let spans = spans.iter();
    let is = |(offset, length): &&(u64, u64)| is(address.wrapping_add(*offset), *length, line);
    spans.filter(is).count() as u64
}

fn read(mut decoder: impl Decode, start: u64) -> Crossings {
    let (mut all, mut branches, mut heads) = (Vec::new(), Vec::new(), Vec::new());
    let mut op = Op::default();
    while decoder.next(&mut op) {
        let offset = op.address - start;
        all.push((offset, u64::from(op.len)));
        if !matches!(op.flow, Flow::Next | Flow::Stop) {
            branches.push((offset, u64::from(op.len)));
        }
        let jumps = matches!(op.flow, Flow::Jump | Flow::Conditional);
        if jumps && (start..=op.address).contains(&op.target) {
            heads.push((op.target - start, op.end() - start));
        }
    }
    // The last jump back to each comes first.
    heads.sort_unstable_by_key(|(head, end)| (*head, std::cmp::Reverse(*end)));
    heads.dedup_by_key(|(head, _)| *head);
    let whole = |(head, end): (u64, u64)| {
        let at = all
            .binary_search_by_key(&head, |(offset, _)| *offset)
            .ok()?;
        Some((all.get(at).copied()?, end))
    };
    let (heads, ends) = heads.into_iter().filter_map(whole).unzip();
    Crossings {
        branches,
        heads,
        ends,
    }
}
