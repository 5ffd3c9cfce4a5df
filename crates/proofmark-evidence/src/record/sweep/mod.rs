//! A sweep: one build with a function at many addresses.

mod block;
mod found;

use proofmark_terms::Machine;
use serde::{Deserialize, Serialize};

use super::{Benchmark, Build, Inputs, NoIdleCore};
use crate::private::parts;

pub use block::{SweepBlock, SweepRound, SweepStage};
pub use found::{
    AddressFound, Afresh, ByChance, LowBitsFound, ModulusFound, PartFound, RangeFound,
    SweepConclusion, SweepStop, TwoWayFound,
};

/// What is fixed before the first block of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// The build, as it was shipped.
    pub build: Build,
    /// The functions that move together; the first one leads.
    pub functions: Vec<SweptFunction>,
    /// What is run.
    pub benchmark: Benchmark,
    /// When measuring stops.
    pub design: SweepDesign,
    /// Where the leading function starts in the anchor: its lowest twelve bits are those that it
    /// was shipped with.
    pub as_shipped: u64,
    /// Where it starts in the images of the sweep, as linked, in ascending order.
    pub addresses: Vec<SweptAddress>,
    /// Where code is moved within the leading function; its addresses are those of this place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<SweptInside>,
    /// What moves against the functions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<SweptAgainst>,
    /// Addresses that were asked for and that it cannot start at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// Whether the benchmark runs any of the functions, as far as that could be found out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_run: Option<bool>,
    /// What the runs read.
    pub inputs: Inputs,
    /// Addresses to a block, beside the anchor.
    pub group: u32,
    /// Rounds of a block.
    pub rounds: u32,
    /// Runs are kept on one core.
    pub pinned: bool,
    /// What a reader must know of how it is measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<SweepRemark>,
    /// The machine when the sweep began.
    pub machine: Machine,
    /// The version of proofmark that began it.
    pub proofmark: String,
    /// Milliseconds since 1970-01-01 UTC.
    pub began_ms: u64,
}

parts!(Sweep {
    build: inner,
    functions: inner,
    benchmark: inner,
    design: open,
    as_shipped: open,
    addresses: open,
    inside: open,
    against: inner,
    left_out: inner,
    is_run: open,
    inputs: inner,
    group: open,
    rounds: open,
    pinned: open,
    remarks: inner,
    machine: inner,
    proofmark: open,
    began_ms: open,
});

/// A place within a function that has other padding in front of it at each address; what stands
/// behind it moves along, and the function starts where it was shipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweptInside {
    /// Which of the function's places it is, from 1, in the order of addresses.
    pub number: u32,
    /// How many such places there are.
    pub of: u32,
    /// Bytes from the function's start as shipped.
    pub offset: u64,
    /// Bytes of padding as shipped.
    pub padding: u64,
    /// A loop begins there.
    pub is_head: bool,
    /// The code before it goes on to it, so that padding is run through.
    pub falls: bool,
}

/// Functions that move together in a window of their own, whatever the others do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweptAgainst {
    /// The first one leads.
    pub functions: Vec<SweptFunction>,
    /// Where the leading one starts in the anchor.
    pub as_shipped: u64,
}

parts!(SweptAgainst {
    functions: inner,
    as_shipped: open,
});

/// What a reader must know of how a sweep is measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum SweepRemark {
    /// The core that runs are kept on was not idle.
    BusyCore {
        /// What there was.
        core: NoIdleCore,
    },
    /// The program has threads or asks for cores, and its runs may use all of them.
    FreeCores,
    /// CPU time is told by perf's task clock: what the end of each process takes is not in it.
    TaskClock,
}

parts!(
    enum SweepRemark {
        BusyCore { core: inner },
        FreeCores,
        TaskClock,
    }
);

/// A function that is moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweptFunction {
    /// As people call it; with its file or address behind it where others are called the same.
    pub name: String,
    /// Its symbol.
    pub symbol: String,
    /// Bytes.
    pub bytes: u64,
    /// Loops, by the places that jumps back lead to.
    pub loops: u64,
    /// Offset and length, in bytes, of the first instruction of each loop.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heads: Vec<[u64; 2]>,
    /// Symbols of what the compiler made of it as well, and which stays.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<String>,
}

parts!(SweptFunction {
    name: mixed,
    symbol: mixed,
    bytes: open,
    loops: open,
    heads: open,
    copies: mixed
});

/// An address at which the leading function was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweptAddress {
    /// As linked.
    pub address: u64,
    /// Where the leading function of those starts that move against the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<u64>,
    /// Branches of all kinds that cross a 32-byte line there, or end on one.
    pub branches_32: u64,
    /// Branches of all kinds that cross a 64-byte line there, or end on one.
    pub branches_64: u64,
    /// Loops whose first instruction crosses a 32-byte line there.
    pub heads_32: u64,
    /// Loops whose first instruction crosses a 64-byte line there.
    pub heads_64: u64,
}

/// Addresses that the functions cannot start at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// How many.
    pub count: u32,
    /// The first of them.
    pub first: u64,
    /// Why.
    pub why: String,
}

parts!(LeftOut {
    count: open,
    first: open,
    why: mixed
});

/// When a sweep stops.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepDesign {
    /// Bytes that the window of starts has.
    pub range: u64,
    /// Bytes from one start to the next.
    pub step: u64,
    /// Starts that were asked for by themselves, in place of the window; their lowest twelve bits
    /// count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<u64>,
    /// Code is moved within the function, at its place of this number, from 1; 0 stands for its
    /// first loop, or its first place where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<u32>,
    /// Half the width, relative, that each address's own interval is to have.
    pub precision: f64,
    /// 0 to 1, of each address's own interval.
    pub confidence: f64,
    /// Fewest blocks of each address.
    pub min_blocks: u32,
    /// Most blocks of each address.
    pub max_blocks: u32,
    /// Blocks in which the extremes are measured afresh.
    pub afresh: u32,
    /// Most time to spend, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_ms: Option<u64>,
    /// Everything drawn comes from it.
    #[serde(with = "proofmark_terms::exact")]
    pub seed: u64,
}
