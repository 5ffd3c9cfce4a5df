//! An attribution for programs: JSON with a schema, every run in it.

use proofmark_evidence::RecordedAttribution;
use proofmark_evidence::record::{
    Attribution, AttributionBlock, AttributionConclusion, AttributionStop, FunctionPart,
    HotFunction, SampledBy,
};
use proofmark_terms::FunctionIndex;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::feature::{FeatureEntry, entry as feature};
use super::rows::notes;
use super::screening::{ScreeningEntry, entry as screening};
use super::shares::{ShareEntry, SpreadEntry, share};
use crate::document::{Document, enveloped};
use crate::wording::unit;

/// An attribution.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AttributionDocument {
    /// Its name in the store: 64 hexadecimal digits.
    id: String,
    /// The build's name.
    build: String,
    /// What is read from a run.
    metric: String,
    /// The metric's unit.
    unit: String,
    /// The run that told which functions are in question; null where they were asked for by name.
    sampled: Option<SampledEntry>,
    /// What the layouts of a recorded comparison said before; null where none was asked about.
    screening: Option<ScreeningEntry>,
    /// The functions in question: after a screening, those that stood out there.
    functions: Vec<FunctionEntry>,
    /// Functions that would be in question and cannot be moved by themselves.
    left_out: Vec<LeftOutEntry>,
    /// The conclusion; null of an attribution that was interrupted.
    conclusion: Option<ConclusionEntry>,
    /// Every block, with every run, in the order of measurement.
    blocks: Vec<BlockEntry>,
    /// Everything drawn comes from it; decimal, as text.
    seed: String,
    /// What a reader must know, in words.
    notes: Vec<String>,
}

/// A run in which it was noted where the program was; it is not one of those measured.
#[derive(Serialize, JsonSchema)]
struct SampledEntry {
    /// `clock`: samples by the kernel's clock; `callgrind`: instructions.
    by: &'static str,
    /// Samples or instructions in all.
    total: u64,
    /// Those in the image.
    in_image: u64,
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
    /// Samples or instructions in it; null where it was asked for by name.
    samples: Option<u64>,
}

/// A function that cannot be moved by itself.
#[derive(Serialize, JsonSchema)]
struct LeftOutEntry {
    /// As people call it; with its file or address behind it where others are called the same.
    name: String,
    /// Samples or instructions in it; null where it was asked for by name.
    samples: Option<u64>,
    /// Why.
    why: String,
}

/// What the blocks say.
#[derive(Serialize, JsonSchema)]
struct ConclusionEntry {
    /// `done`, `budget`, or `screened` where no function stood out in the screening, so that
    /// nothing was measured.
    stop: &'static str,
    /// The spread between layouts.
    spread: SpreadEntry,
    /// The functions of the last stage, that with the greatest sign first.
    functions: Vec<PartEntry>,
    /// What the places of all other functions explain together; null where layouts do not differ
    /// beyond noise.
    others: Option<OthersEntry>,
    /// Groups of earlier stages.
    screened: Vec<GroupEntry>,
    /// Blocks of the last stage.
    blocks: u32,
    /// How long measuring took, in milliseconds.
    took_ms: u64,
    /// How much of it was spent in runs, in milliseconds.
    in_runs_ms: u64,
}

/// What the place of a function explains.
#[derive(Serialize, JsonSchema)]
struct PartEntry {
    /// The function's symbol.
    symbol: String,
    /// It stands out: at most 5 % of analyses in which no function matters name one.
    named: bool,
    /// How often chance does as much to the one that it does most to, 0 to 1.
    p: f64,
    /// By itself: the first-order share of the variance between layouts.
    first: Option<ShareEntry>,
    /// Together with all that it acts with: the total share.
    total: Option<ShareEntry>,
    /// What of its place goes with the metric: a description, and no cause; null where it does not
    /// stand out, and where there are too few layouts for any feature.
    by_feature: Option<FeatureEntry>,
}

/// What the places of all functions that were not looked at singly explain together.
#[derive(Serialize, JsonSchema)]
struct OthersEntry {
    /// By themselves.
    first: ShareEntry,
    /// Together with all that they act with.
    total: ShareEntry,
}

/// A group of functions, by a few blocks.
#[derive(Serialize, JsonSchema)]
struct GroupEntry {
    /// The stage, from 0.
    stage: u32,
    /// Symbols of its functions.
    symbols: Vec<String>,
    /// What their places seemed to explain with all that they act with, 0 to 1.
    total: Option<f64>,
    /// It was looked at more closely.
    kept: bool,
}

/// A block: layouts A and B, and for each group one with the group's places from A and all others
/// from B.
#[derive(Serialize, JsonSchema)]
struct BlockEntry {
    /// From 0.
    stage: u32,
    /// By group: indices of `functions`.
    groups: Vec<Vec<u32>>,
    /// One layout more: everything that is in no group has its place from A.
    others: bool,
    /// Seeds of A and B; decimal, as text.
    seeds: [String; 2],
    /// Where each of `functions` starts in A and in B, as linked.
    starts: [Vec<u64>; 2],
    /// By measurement and round: the metric of A, of B, of each group's layout, and of that of all
    /// others.
    values: Vec<Vec<Vec<f64>>>,
}

impl Document for AttributionDocument {
    const SCHEMA: &'static str = "attribution";
}

/// An attribution for programs.
#[must_use]
pub fn json(recorded: &RecordedAttribution) -> Value {
    let attribution = &recorded.attribution;
    enveloped(&AttributionDocument {
        id: recorded.id.to_string(),
        build: attribution.build.name.clone(),
        metric: attribution.benchmark.metric.name().to_owned(),
        unit: unit(&attribution.benchmark.metric).to_owned(),
        sampled: attribution.sampled.as_ref().map(|sampled| SampledEntry {
            by: match sampled.by {
                SampledBy::Clock => "clock",
                SampledBy::Callgrind => "callgrind",
            },
            total: sampled.total,
            in_image: sampled.in_image,
        }),
        screening: attribution.screening.as_ref().map(screening),
        functions: functions(&attribution.functions),
        left_out: attribution
            .left_out
            .iter()
            .map(|left| LeftOutEntry {
                name: left.name.clone(),
                samples: left.samples,
                why: left.why.clone(),
            })
            .collect(),
        conclusion: recorded
            .conclusion
            .as_ref()
            .map(|found| concluded(attribution, found)),
        blocks: recorded.blocks.iter().map(block).collect(),
        seed: attribution.design.seed.to_string(),
        notes: notes(recorded),
    })
}

fn functions(functions: &[HotFunction]) -> Vec<FunctionEntry> {
    let entry = |one: &HotFunction| FunctionEntry {
        name: one.name.clone(),
        symbol: one.symbol.clone(),
        bytes: one.bytes,
        loops: one.loops,
        samples: one.samples,
    };
    functions.iter().map(entry).collect()
}

fn symbol(attribution: &Attribution, index: FunctionIndex) -> String {
    let function = index.of(&attribution.functions);
    function.map_or_else(String::new, |one| one.symbol.clone())
}

fn concluded(attribution: &Attribution, found: &AttributionConclusion) -> ConclusionEntry {
    ConclusionEntry {
        stop: match found.stop {
            AttributionStop::Done => "done",
            AttributionStop::Budget => "budget",
            AttributionStop::Screened => "screened",
        },
        spread: SpreadEntry::of(&found.spread),
        functions: found
            .functions
            .iter()
            .map(|one| part(attribution, one))
            .collect(),
        others: found.others.as_ref().map(|others| OthersEntry {
            first: share(&others.first),
            total: share(&others.total),
        }),
        screened: found
            .screened
            .iter()
            .map(|group| GroupEntry {
                stage: group.stage,
                symbols: group
                    .functions
                    .iter()
                    .map(|index| symbol(attribution, *index))
                    .collect(),
                total: group.total,
                kept: group.kept,
            })
            .collect(),
        blocks: found.blocks,
        took_ms: found.took_ms,
        in_runs_ms: found.in_runs_ms,
    }
}

fn part(attribution: &Attribution, part: &FunctionPart) -> PartEntry {
    PartEntry {
        symbol: symbol(attribution, part.function),
        named: part.named,
        p: part.by_chance.p_value,
        first: part.first.as_ref().map(share),
        total: part.total.as_ref().map(share),
        by_feature: part
            .by_feature
            .as_ref()
            .map(|told| feature(attribution, told)),
    }
}

fn block(block: &AttributionBlock) -> BlockEntry {
    let values = block.measured.iter().map(|rounds| {
        let round = |round: &proofmark_evidence::record::SweepRound| {
            round.runs.iter().map(|run| run.value).collect()
        };
        rounds.iter().map(round).collect()
    });
    BlockEntry {
        stage: block.stage,
        groups: (block.groups.iter())
            .map(|group| group.iter().map(|function| function.0).collect())
            .collect(),
        others: block.others,
        seeds: [block.one.to_string(), block.other.to_string()],
        starts: block.starts.clone(),
        values: values.collect(),
    }
}
