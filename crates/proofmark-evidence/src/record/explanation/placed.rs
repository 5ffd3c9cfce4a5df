//! Where the hot code of two images stands, as their linkers put it, and what of that may cost time.

use serde::{Deserialize, Serialize};

use crate::private::parts;

/// Where the hot code of the builds' own images stands. It describes code: whether that costs
/// anything is measured elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum PlacedCode {
    /// Both images were read.
    Read {
        /// What said which code is hot.
        by: HotBy,
        /// The instruction cache that sets are of, in words.
        cache: String,
        /// Whether Intel's erratum of jumps across lines of 32 bytes is the processor's.
        erratum: JumpErratum,
        /// Of the base.
        base: PlacedImage,
        /// Of the build.
        new: PlacedImage,
    },
    /// They were not, and why.
    Unread {
        /// The reason.
        reason: String,
    },
}

parts!(
    enum PlacedCode {
        Read {
            by: open,
            cache: open,
            erratum: open,
            base: inner,
            new: inner,
        },
        Unread {
            reason: mixed,
        },
    }
);

/// What said which code is hot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HotBy {
    /// A simulated run: every instruction with the number of times that it was executed.
    Model,
    /// Samples of a run: functions that hold some of them, all of their code.
    Samples,
}

/// Whether a processor has Intel's erratum of jumps (SKX102), by what it says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JumpErratum {
    /// Intel lists it.
    Listed,
    /// It is of that family, and not listed.
    NotSaid,
    /// It is another one, or says nothing.
    Other,
}

/// The hot code of one image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlacedImage {
    /// Lines of the instruction cache that it takes.
    pub lines: u64,
    /// Pages of 4 KiB that it takes.
    pub pages: u64,
    /// Lines that one group of sets can hold. A group is the sets that lines of one offset in their
    /// pages may fall into.
    pub room: u64,
    /// Lines in the group that most fall into.
    pub fullest: u64,
    /// Groups that more lines fall into than they can hold.
    pub overfull: u64,
    /// Lines that are in these, beyond what they can hold.
    pub beyond: u64,
    /// Its functions, the hottest first; not all of them.
    pub functions: Vec<HotPlace>,
}

parts!(PlacedImage {
    lines: open,
    pages: open,
    room: open,
    fullest: open,
    overfull: open,
    beyond: open,
    functions: inner,
});

/// A hot function where its image has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HotPlace {
    /// Its symbol.
    pub symbol: String,
    /// As people call it.
    pub name: String,
    /// Where it starts, as linked.
    pub start: u64,
    /// Its share of the image's instructions, or samples, from 0 to 1.
    pub share: f64,
    /// Whether hot lines of it are in an overfull group of sets.
    pub in_overfull: bool,
    /// Its loops.
    pub loops: u64,
    /// Those whose first instruction crosses a line of 64 bytes.
    pub loops_across: u64,
    /// Lines of 64 bytes that its loops touch beyond the fewest that would hold them.
    pub lines_beyond: u64,
    /// Jumps in its loops that cross or end a line of 32 bytes.
    pub jumps: u64,
    /// Calls of other files across 4 GiB in its loops.
    pub far_calls: u64,
    /// Width of the widest vector register that it names, in bits; 0 for none.
    pub vector_bits: u64,
    /// Instructions that read or write its stack.
    pub spills: u64,
}

parts!(HotPlace {
    symbol: mixed,
    name: mixed,
    start: open,
    share: open,
    in_overfull: open,
    loops: open,
    loops_across: open,
    lines_beyond: open,
    jumps: open,
    far_calls: open,
    vector_bits: open,
    spills: open,
});
