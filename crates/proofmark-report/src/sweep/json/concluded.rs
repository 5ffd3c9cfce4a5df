//! What the blocks of a sweep say, for programs.

use proofmark_evidence::record::{
    LowBitsFound, ModulusFound, PartFound, RangeFound, Sweep, SweepConclusion, SweepStop,
    TwoWayFound,
};
use proofmark_terms::AddressIndex;
use schemars::JsonSchema;
use serde::Serialize;

/// What the blocks say.
#[derive(Serialize, JsonSchema)]
pub(super) struct ConclusionEntry {
    /// `precise`, `most-blocks` or `budget`.
    stop: &'static str,
    /// How often addresses that are all alike would differ as much, 0 to 1.
    differ_p: Option<f64>,
    /// The distance between the extremes.
    range: Option<RangeEntry>,
    /// What low bits of the address explain; null where addresses do not differ by more than
    /// chance.
    low_bits: Option<LowBitsEntry>,
    /// What each of two starts does; null where one moves, or addresses do not differ by more than
    /// chance.
    two_way: Option<TwoWayEntry>,
    /// How often addresses that are all alike would differ as much in the spread of runs, 0 to 1.
    stability_p: Option<f64>,
    /// How long measuring took, in milliseconds.
    took_ms: u64,
    /// How much of it was spent in runs, in milliseconds.
    in_runs_ms: u64,
}

/// The distance between the extremes.
#[derive(Serialize, JsonSchema)]
struct RangeEntry {
    /// The address with the least value.
    least: u64,
    /// The address with the greatest value.
    greatest: u64,
    /// With which address of those that move against the others; null without.
    least_other: Option<u64>,
    /// The same of the greatest value.
    greatest_other: Option<u64>,
    /// Greatest ÷ least as found.
    found: f64,
    /// Greatest ÷ least that noise alone makes, in the median.
    by_noise: f64,
    /// Addresses whose value is less than as shipped.
    less_than_shipped: u32,
    /// Greatest ÷ least measured afresh.
    afresh: Option<AfreshEntry>,
}

/// A ratio measured afresh.
#[derive(Serialize, JsonSchema)]
struct AfreshEntry {
    /// Blocks that it rests on.
    blocks: u32,
    /// The estimate.
    ratio: f64,
    /// Lower bound.
    low: f64,
    /// Upper bound.
    high: f64,
}

/// What two starts do.
#[derive(Serialize, JsonSchema)]
struct TwoWayEntry {
    /// The start of the functions by itself.
    first: PartEntry,
    /// The start of those that move against them by itself.
    second: PartEntry,
    /// What both do together beyond that.
    both: PartEntry,
}

/// A share of the variance between addresses.
#[derive(Serialize, JsonSchema)]
struct PartEntry {
    /// Noise removed; 0 to 1.
    share: f64,
    /// How often noise alone would make as much, 0 to 1.
    p: f64,
}

/// What low bits explain.
#[derive(Serialize, JsonSchema)]
struct LowBitsEntry {
    /// By modulus, the smallest first.
    moduli: Vec<ModulusEntry>,
    /// The bits that matter, the lowest first; bit 4 is the one of 16.
    bits: Vec<u32>,
    /// The share that these explain together, 0 to 1.
    share: f64,
}

/// What the address modulo one number explains.
#[derive(Serialize, JsonSchema)]
struct ModulusEntry {
    /// The modulus, in bytes.
    modulus: u64,
    /// Share of the variance between addresses, noise removed; 0 to 1.
    share: f64,
    /// How often it would be as large if the classes meant nothing, 0 to 1.
    p: f64,
}

pub(super) fn concluded(sweep: &Sweep, found: &SweepConclusion) -> ConclusionEntry {
    ConclusionEntry {
        stop: match found.stop {
            SweepStop::Precise => "precise",
            SweepStop::MostBlocks => "most-blocks",
            SweepStop::Budget => "budget",
        },
        differ_p: found.differ.map(|by| by.p_value),
        range: found.range.as_ref().map(|one| range(sweep, one)),
        low_bits: found.low_bits.as_ref().map(low_bits),
        two_way: found.two_way.map(two_way),
        stability_p: found.stability.map(|by| by.p_value),
        took_ms: found.took_ms,
        in_runs_ms: found.in_runs_ms,
    }
}

fn range(sweep: &Sweep, found: &RangeFound) -> RangeEntry {
    let at = |index: AddressIndex| index.of(&sweep.addresses);
    let address = |index: AddressIndex| at(index).map_or(0, |swept| swept.address);
    let other = |index: AddressIndex| at(index).and_then(|swept| swept.other);
    RangeEntry {
        least: address(found.least),
        greatest: address(found.greatest),
        least_other: other(found.least),
        greatest_other: other(found.greatest),
        found: found.found,
        by_noise: found.by_noise,
        less_than_shipped: found.less_than_shipped,
        afresh: found.afresh.map(|afresh| AfreshEntry {
            blocks: afresh.blocks,
            ratio: afresh.ratio,
            low: afresh.low,
            high: afresh.high,
        }),
    }
}

fn two_way(found: TwoWayFound) -> TwoWayEntry {
    let part = |one: PartFound| PartEntry {
        share: one.share,
        p: one.p_value,
    };
    TwoWayEntry {
        first: part(found.first),
        second: part(found.second),
        both: part(found.both),
    }
}

fn low_bits(found: &LowBitsFound) -> LowBitsEntry {
    let modulus = |one: &ModulusFound| ModulusEntry {
        modulus: one.modulus,
        share: one.share,
        p: one.p_value,
    };
    LowBitsEntry {
        moduli: found.moduli.iter().map(modulus).collect(),
        bits: found.bits.clone(),
        share: found.share,
    }
}
