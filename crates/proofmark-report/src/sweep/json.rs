//! A sweep for programs: JSON with a schema, every run in it.

mod concluded;

use proofmark_evidence::RecordedSweep;
use proofmark_evidence::record::{AddressFound, Sweep, SweepStage, SweptFunction};
use proofmark_terms::AddressIndex;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use self::concluded::{ConclusionEntry, concluded};
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
    /// As people call it; with its file or address behind it where others are called the same.
    name: String,
    /// Its symbol.
    symbol: String,
    /// Bytes.
    bytes: u64,
    /// Loops, by the places that jumps back lead to.
    loops: u64,
    /// Offset from the function's start and length of the first instruction of each loop, in bytes.
    heads: Vec<[u64; 2]>,
    /// Symbols of what the compiler made of it as well, such as `f.constprop.0`, and which stays.
    copies: Vec<String>,
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
        heads: one.heads.clone(),
        copies: one.copies.clone(),
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
