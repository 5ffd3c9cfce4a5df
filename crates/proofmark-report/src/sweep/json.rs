//! A sweep for programs: JSON with a schema, every run in it.

use proofmark_evidence::RecordedSweep;
use proofmark_evidence::record::{
    AddressFound, LowBitsFound, PartFound, RangeFound, Sweep, SweepConclusion, SweepStage,
    SweepStop, SweptFunction, TwoWayFound,
};
use proofmark_terms::AddressIndex;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::rows::notes;
use crate::document::{Document, enveloped};
use crate::wording::unit;

/// A sweep.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SweepDocument {
    /// Its name in the store: 64 hexadecimal digits.
    id: String,
    /// The build's name.
    build: String,
    /// The functions that move together; the first one leads.
    functions: Vec<FunctionEntry>,
    /// What is read from a run.
    metric: String,
    /// The metric's unit.
    unit: String,
    /// Where the leading function starts in the anchor, as linked: its lowest twelve bits are those
    /// that it was shipped with.
    as_shipped: u64,
    /// Where code is moved within the function: its addresses are those of this place. Null where
    /// its start moves.
    inside: Option<InsideEntry>,
    /// Functions that move against these; null without.
    against: Option<AgainstEntry>,
    /// Whether the benchmark runs any of the functions, or comes to the code that is moved; null
    /// where that could not be told.
    is_run: Option<bool>,
    /// By address, in ascending order.
    addresses: Vec<AddressEntry>,
    /// Starts that were asked for and that the function cannot take.
    left_out: Vec<LeftOutEntry>,
    /// The conclusion; null of a sweep that was interrupted.
    conclusion: Option<ConclusionEntry>,
    /// Every block, with every run, in the order of measurement.
    blocks: Vec<BlockEntry>,
    /// Everything drawn comes from it; decimal, as text.
    seed: String,
    /// What a reader must know, in words.
    notes: Vec<String>,
}

/// A function.
#[derive(Serialize, JsonSchema)]
struct FunctionEntry {
    /// As people call it.
    name: String,
    /// Its symbol.
    symbol: String,
    /// Bytes.
    bytes: u64,
    /// Loops, by the places that jumps back lead to.
    loops: u64,
}

/// A place within a function.
#[derive(Serialize, JsonSchema)]
struct InsideEntry {
    /// Which of the function's places for padding it is, from 1.
    number: u32,
    /// How many there are.
    of: u32,
    /// Bytes from the function's start, as shipped.
    offset: u64,
    /// Bytes of padding as shipped.
    padding: u64,
    /// A loop begins there.
    is_head: bool,
    /// The code before it goes on to it, so that padding is run through.
    falls: bool,
}

/// Functions that move together, whatever the others do.
#[derive(Serialize, JsonSchema)]
struct AgainstEntry {
    /// The first one leads.
    functions: Vec<FunctionEntry>,
    /// Where the leading one starts in the anchor.
    as_shipped: u64,
}

/// An address.
#[derive(Serialize, JsonSchema)]
struct AddressEntry {
    /// Where the leading function starts, as linked, or the code that is moved within it.
    address: u64,
    /// Where the leading function of those starts that move against the others; null without.
    other: Option<u64>,
    /// Branches that cross a 32-byte line there, or end on one.
    branches_32: u64,
    /// Branches that cross a 64-byte line there, or end on one.
    branches_64: u64,
    /// Loops whose first instruction crosses a 32-byte line there.
    heads_32: u64,
    /// Loops whose first instruction crosses a 64-byte line there.
    heads_64: u64,
    /// Blocks that it rests on; null before the conclusion.
    blocks: Option<u32>,
    /// The metric ÷ as shipped.
    ratio: Option<f64>,
    /// Lower bound of its own 95 % interval.
    low: Option<f64>,
    /// Upper bound of its own 95 % interval.
    high: Option<f64>,
    /// Half the width that holds for all addresses together, relative.
    together: Option<f64>,
    /// Spread of its runs ÷ that of the anchor's in the same rounds.
    spread: Option<f64>,
    /// Lower bound of that, for this address alone.
    spread_low: Option<f64>,
    /// Upper bound of that, for this address alone.
    spread_high: Option<f64>,
}

/// Starts that were left out.
#[derive(Serialize, JsonSchema)]
struct LeftOutEntry {
    /// How many.
    count: u32,
    /// The first of them.
    first: u64,
    /// Why.
    why: String,
}

/// What the blocks say.
#[derive(Serialize, JsonSchema)]
struct ConclusionEntry {
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

/// A block.
#[derive(Serialize, JsonSchema)]
struct BlockEntry {
    /// `map`, or `afresh` for the extremes measured once more.
    stage: &'static str,
    /// The images: the anchor's address first.
    addresses: Vec<u64>,
    /// By image, where those start that move against the others; empty without.
    others: Vec<u64>,
    /// By round: the images in the order in which they ran, as indices into `addresses`.
    order: Vec<Vec<u32>>,
    /// By round: the metric of each image, in the order of `addresses`.
    values: Vec<Vec<f64>>,
}

impl Document for SweepDocument {
    const SCHEMA: &'static str = "sweep";
}

/// A sweep for programs.
#[must_use]
pub fn json(recorded: &RecordedSweep) -> Value {
    let sweep = &recorded.sweep;
    let conclusion = recorded.conclusion.as_ref();
    let found = |index: usize| conclusion.and_then(|found| found.addresses.get(index));
    let addresses = sweep.addresses.iter().enumerate();
    enveloped(&SweepDocument {
        id: recorded.id.to_string(),
        build: sweep.build.name.clone(),
        functions: functions(&sweep.functions),
        metric: sweep.benchmark.metric.name().to_owned(),
        unit: unit(&sweep.benchmark.metric).to_owned(),
        as_shipped: sweep.as_shipped,
        inside: sweep.inside.map(|one| InsideEntry {
            number: one.number,
            of: one.of,
            offset: one.offset,
            padding: one.padding,
            is_head: one.is_head,
            falls: one.falls,
        }),
        against: sweep.against.as_ref().map(|one| AgainstEntry {
            functions: functions(&one.functions),
            as_shipped: one.as_shipped,
        }),
        is_run: sweep.is_run,
        addresses: addresses
            .map(|(index, _)| address(sweep, index, found(index)))
            .collect(),
        left_out: sweep
            .left_out
            .iter()
            .map(|left| LeftOutEntry {
                count: left.count,
                first: left.first,
                why: left.why.clone(),
            })
            .collect(),
        conclusion: conclusion.map(|found| concluded(sweep, found)),
        blocks: blocks(recorded),
        seed: sweep.design.seed.to_string(),
        notes: notes(recorded),
    })
}

fn functions(functions: &[SweptFunction]) -> Vec<FunctionEntry> {
    let entry = |one: &SweptFunction| FunctionEntry {
        name: one.name.clone(),
        symbol: one.symbol.clone(),
        bytes: one.bytes,
        loops: one.loops,
    };
    functions.iter().map(entry).collect()
}

fn address(sweep: &Sweep, index: usize, found: Option<&AddressFound>) -> AddressEntry {
    let swept = &sweep.addresses[index];
    AddressEntry {
        address: swept.address,
        other: swept.other,
        branches_32: swept.branches_32,
        branches_64: swept.branches_64,
        heads_32: swept.heads_32,
        heads_64: swept.heads_64,
        blocks: found.map(|found| found.blocks),
        ratio: found.map(|found| found.ratio),
        low: found.map(|found| found.low),
        high: found.map(|found| found.high),
        together: found.map(|found| found.together),
        spread: found.and_then(|found| found.spread),
        spread_low: found.and_then(|found| found.spread_low),
        spread_high: found.and_then(|found| found.spread_high),
    }
}

fn concluded(sweep: &Sweep, found: &SweepConclusion) -> ConclusionEntry {
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
    let modulus = |one: &proofmark_evidence::record::ModulusFound| ModulusEntry {
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

fn blocks(recorded: &RecordedSweep) -> Vec<BlockEntry> {
    let sweep = &recorded.sweep;
    let entry = |block: &proofmark_evidence::record::SweepBlock| {
        let at = |index: &AddressIndex| index.of(&sweep.addresses).map(|one| one.address);
        let swept = block.addresses.iter().filter_map(at);
        let other = |index: &AddressIndex| index.of(&sweep.addresses)?.other;
        let others = block.addresses.iter().filter_map(other);
        let shipped = sweep.against.iter().map(|against| against.as_shipped);
        BlockEntry {
            stage: match block.stage {
                SweepStage::Map => "map",
                SweepStage::Afresh => "afresh",
            },
            addresses: std::iter::once(sweep.as_shipped).chain(swept).collect(),
            others: shipped.chain(others).collect(),
            order: (block.rounds.iter())
                .map(|one| one.order.iter().map(|image| image.0).collect())
                .collect(),
            values: block
                .rounds
                .iter()
                .map(|one| one.runs.iter().map(|run| run.value).collect())
                .collect(),
        }
    };
    recorded.blocks.iter().map(entry).collect()
}
