//! A sweep: one build with a function at many addresses.

use proofmark_terms::{AddressIndex, Digest, ImageIndex, Machine};
use serde::{Deserialize, Serialize};

use super::{Benchmark, Build, Inputs, NoIdleCore, Run};
use crate::private::parts;

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
    /// As people call it.
    pub name: String,
    /// Its symbol.
    pub symbol: String,
    /// Bytes.
    pub bytes: u64,
    /// Loops, by the places that jumps back lead to.
    pub loops: u64,
}

parts!(SweptFunction {
    name: mixed,
    symbol: mixed,
    bytes: open,
    loops: open
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

/// Some addresses measured side by side with the anchor, in fresh copies of their images.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepBlock {
    /// From 0, in the order of measurement.
    pub index: u32,
    /// What it is for.
    pub stage: SweepStage,
    /// The addresses, as indices into the sweep's.
    pub addresses: Vec<AddressIndex>,
    /// Of each image: the anchor's first, then in the order of `addresses`.
    pub images: Vec<Digest>,
    /// The rounds, in the order in which they ran.
    pub rounds: Vec<SweepRound>,
    /// Milliseconds since 1970-01-01 UTC when it began.
    pub began_ms: u64,
    /// How long it took, in milliseconds, images included.
    pub took_ms: u64,
}

parts!(SweepBlock {
    index: open,
    stage: open,
    addresses: open,
    images: open,
    rounds: open,
    began_ms: open,
    took_ms: open,
});

/// What a block is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SweepStage {
    /// To find what each address does.
    Map,
    /// To measure the fastest and the slowest address afresh.
    Afresh,
}

/// One run of the anchor and of each address of a block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepRound {
    /// The images in the order in which they ran, as indices into the block's.
    pub order: Vec<ImageIndex>,
    /// One run for each image, the anchor's first.
    pub runs: Vec<Run>,
}

/// What the blocks of a sweep say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepConclusion {
    /// Why measuring ended.
    pub stop: SweepStop,
    /// By address, in the order of the sweep's.
    pub addresses: Vec<AddressFound>,
    /// How the range stands.
    pub range: Option<RangeFound>,
    /// Whether addresses differ by more than chance.
    pub differ: Option<ByChance>,
    /// What the low bits of the address explain; absent where addresses do not differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low_bits: Option<LowBitsFound>,
    /// What each of two starts does by itself, and both together; absent where only one moves, or
    /// addresses do not differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub two_way: Option<TwoWayFound>,
    /// Whether addresses differ in how stable runs are, by more than chance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stability: Option<ByChance>,
    /// How long measuring took in all, in milliseconds.
    pub took_ms: u64,
    /// How much of that was spent in runs, in milliseconds.
    pub in_runs_ms: u64,
}

parts!(SweepConclusion {
    stop: open,
    addresses: open,
    range: open,
    differ: open,
    low_bits: open,
    two_way: open,
    stability: open,
    took_ms: open,
    in_runs_ms: open,
});

/// Why a sweep ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SweepStop {
    /// Each address's own interval is as narrow as was asked for.
    Precise,
    /// The most blocks were measured.
    MostBlocks,
    /// The budget was spent.
    Budget,
}

/// What was found at an address.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AddressFound {
    /// Blocks that it rests on.
    pub blocks: u32,
    /// The metric at the address ÷ as shipped.
    pub ratio: f64,
    /// Lower bound of its own interval.
    pub low: f64,
    /// Upper bound of its own interval.
    pub high: f64,
    /// Half the width that holds for all addresses together, relative.
    pub together: f64,
    /// Spread of the runs ÷ spread of the anchor's in the same rounds; absent where either does not
    /// vary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<f64>,
    /// Lower bound of that, for this address alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread_low: Option<f64>,
    /// Upper bound of that, for this address alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread_high: Option<f64>,
}

/// The distance between the extremes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RangeFound {
    /// The address with the least value, as an index.
    pub least: AddressIndex,
    /// The address with the greatest value, as an index.
    pub greatest: AddressIndex,
    /// Greatest ÷ least as found. Of many noisy numbers the extremes are further apart than the
    /// truth.
    pub found: f64,
    /// Greatest ÷ least that noise alone makes of addresses that are all alike, in the median.
    pub by_noise: f64,
    /// Greatest ÷ least measured afresh, in blocks of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub afresh: Option<Afresh>,
    /// Addresses whose value is less than as shipped.
    pub less_than_shipped: u32,
}

/// A ratio measured afresh.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Afresh {
    /// Blocks that it rests on.
    pub blocks: u32,
    /// The estimate.
    pub ratio: f64,
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

/// Whether something differs by more than chance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ByChance {
    /// How often addresses that are all alike would differ as much, 0 to 1.
    pub p_value: f64,
}

/// What two starts do, each by itself and both together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TwoWayFound {
    /// The start of the functions.
    pub first: PartFound,
    /// The start of those that move against them.
    pub second: PartFound,
    /// What both do together beyond what each does by itself.
    pub both: PartFound,
}

/// A share of the variance between addresses.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartFound {
    /// Noise removed; 0 to 1.
    pub share: f64,
    /// How often noise alone would make as much, 0 to 1.
    pub p_value: f64,
}

/// What the low bits of the address explain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LowBitsFound {
    /// By modulus, the smallest first.
    pub moduli: Vec<ModulusFound>,
    /// The bits that matter, the lowest first; bit 4 is the one of 16. Empty where no share is told
    /// from chance.
    pub bits: Vec<u32>,
    /// The share that these bits explain together, 0 to 1.
    pub share: f64,
}

/// What the address modulo one number explains.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModulusFound {
    /// The modulus, in bytes.
    pub modulus: u64,
    /// Share of the variance between addresses, noise removed; 0 to 1.
    pub share: f64,
    /// How often it would be as large if the classes meant nothing, 0 to 1.
    pub p_value: f64,
}
