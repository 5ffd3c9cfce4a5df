//! What the blocks of a sweep say.

use proofmark_terms::AddressIndex;
use serde::{Deserialize, Serialize};

use crate::private::parts;

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
