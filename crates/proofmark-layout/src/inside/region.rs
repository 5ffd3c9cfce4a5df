//! A function in an assembler's text, and where within it padding may go. Pure.

use std::ops::Range;

/// A function in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) symbol: String,
    /// Its lines.
    pub(super) lines: Range<usize>,
    /// Places for padding, in the order of the text.
    pub(super) spots: Vec<Spot>,
    /// Where its unwinding information ends.
    pub(super) unwinding: Option<usize>,
}

/// A place for padding: where the compiler aligns, a loop begins, or a jump leads to and nothing
/// falls into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Spot {
    /// Padding goes in front of this line.
    pub(super) line: usize,
    /// Directives that align there.
    pub(super) aligns: Vec<usize>,
    /// A loop begins there.
    pub(super) is_head: bool,
    /// Some jump or table leads to it.
    pub(super) is_target: bool,
    /// The instruction before it goes on to it.
    pub(super) falls: bool,
}

impl Region {
    /// The function's symbol.
    pub(super) fn symbol(&self) -> &str {
        &self.symbol
    }

    /// Whether it has unwinding information that can be made longer.
    pub(super) fn unwinds(&self) -> bool {
        self.unwinding.is_some()
    }
}
