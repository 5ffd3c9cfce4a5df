//! An attribution: whose place carries the spread between the layouts of one build.

use proofmark_terms::{Digest, FunctionIndex, Machine};
use serde::{Deserialize, Serialize};

use super::{
    Benchmark, Build, ByChance, ByPlaceFeature, HotFunction, Inputs, LayoutSpread, PlaceScreening,
    ShareFound, SweepRemark, SweepRound,
};
use crate::private::parts;

/// What is fixed before the first block of an attribution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attribution {
    /// The build, as it was shipped.
    pub build: Build,
    /// What is run.
    pub benchmark: Benchmark,
    /// When measuring stops.
    pub design: AttributionDesign,
    /// Where a sampled run spent its time; absent where functions were asked for by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampled: Option<SampledRun>,
    /// What the layouts of a comparison said before; absent where none was asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screening: Option<PlaceScreening>,
    /// The functions in question: after a screening, those that stood out there.
    pub functions: Vec<HotFunction>,
    /// Functions that would be in question and cannot be moved by themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<UnmovedFunction>,
    /// What the runs read.
    pub inputs: Inputs,
    /// Rounds of each of the two measurements of a block.
    pub rounds: u32,
    /// Runs are kept on one core.
    pub pinned: bool,
    /// What a reader must know of how it is measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<SweepRemark>,
    /// The machine when it began.
    pub machine: Machine,
    /// The version of proofmark that began it.
    pub proofmark: String,
    /// Milliseconds since 1970-01-01 UTC.
    pub began_ms: u64,
}

parts!(Attribution {
    build: inner,
    benchmark: inner,
    design: inner,
    sampled: open,
    screening: inner,
    functions: inner,
    left_out: inner,
    inputs: inner,
    rounds: open,
    pinned: open,
    remarks: inner,
    machine: inner,
    proofmark: open,
    began_ms: open,
});

/// A run in which it was noted where the program was. It never counts as measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampledRun {
    /// What noted it.
    pub by: SampledBy,
    /// Samples, or instructions, in all.
    pub total: u64,
    /// Those in the image, wherever.
    pub in_image: u64,
}

/// What noted where a program was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SampledBy {
    /// The kernel's clock: samples.
    Clock,
    /// Callgrind: instructions.
    Callgrind,
}

/// A function that cannot be moved by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnmovedFunction {
    /// As people call it; with its file or address behind it where others are called the same.
    pub name: String,
    /// Samples, or instructions, in it; absent where it was asked for by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<u64>,
    /// Why.
    pub why: String,
}

parts!(UnmovedFunction {
    name: mixed,
    samples: open,
    why: mixed,
});

/// When an attribution stops.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttributionDesign {
    /// Functions that were asked for, as patterns; those that a sampled run finds where there are
    /// none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<String>,
    /// Most functions of a sampled run that are in question.
    pub most: u32,
    /// Blocks of a stage in which groups of several functions are looked at.
    pub screening: u32,
    /// Blocks of the last stage, in which single functions are.
    pub blocks: u32,
    /// Rounds of each measurement; by the length of a run when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// 0 to 1: of intervals, and 1 less the rate of false names.
    pub confidence: f64,
    /// Most time to spend, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_ms: Option<u64>,
    /// Everything drawn comes from it.
    #[serde(with = "proofmark_terms::exact")]
    pub seed: u64,
}

parts!(AttributionDesign {
    asked: mixed,
    most: open,
    screening: open,
    blocks: open,
    rounds: open,
    confidence: open,
    budget_ms: open,
    seed: open,
});

/// Layouts A and B, and for each group one that has the group's places from A and all others from
/// B, each measured twice, in fresh copies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttributionBlock {
    /// From 0, in the order of measurement.
    pub index: u32,
    /// From 0; groups get smaller from stage to stage.
    pub stage: u32,
    /// The groups, as indices into the attribution's functions.
    pub groups: Vec<Vec<FunctionIndex>>,
    /// One layout more, in which everything that is in no group has its place from A.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub others: bool,
    /// Seed of layout A.
    #[serde(with = "proofmark_terms::exact")]
    pub one: u64,
    /// Seed of layout B.
    #[serde(with = "proofmark_terms::exact")]
    pub other: u64,
    /// Where each function of the attribution starts in A and in B, as linked.
    pub starts: [Vec<u64>; 2],
    /// Of each image: A, B, one for each group, and that of all others.
    pub images: Vec<Digest>,
    /// The rounds of each measurement, in the order in which they ran; images as in `images`.
    pub measured: [Vec<SweepRound>; 2],
    /// Milliseconds since 1970-01-01 UTC when it began.
    pub began_ms: u64,
    /// How long it took, in milliseconds, images included.
    pub took_ms: u64,
}

parts!(AttributionBlock {
    index: open,
    stage: open,
    groups: open,
    others: open,
    one: open,
    other: open,
    starts: open,
    images: open,
    measured: open,
    began_ms: open,
    took_ms: open,
});

/// What the blocks of an attribution say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttributionConclusion {
    /// Why measuring ended.
    pub stop: AttributionStop,
    /// The spread between layouts, by all blocks.
    pub spread: LayoutSpread,
    /// The functions of the last stage, those with the greatest sign first.
    pub functions: Vec<FunctionPart>,
    /// What the places of all other functions of the image explain together; absent where layouts
    /// do not differ beyond noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others: Option<OthersPart>,
    /// Groups of earlier stages, in the order of stages.
    pub screened: Vec<GroupScreened>,
    /// Blocks of the last stage.
    pub blocks: u32,
    /// How long measuring took in all, in milliseconds.
    pub took_ms: u64,
    /// How much of that was spent in runs, in milliseconds.
    pub in_runs_ms: u64,
}

parts!(AttributionConclusion {
    stop: open,
    spread: open,
    functions: open,
    others: open,
    screened: open,
    blocks: open,
    took_ms: open,
    in_runs_ms: open,
});

/// Why an attribution ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AttributionStop {
    /// All blocks were measured.
    Done,
    /// The budget was spent.
    Budget,
    /// No function stood out in the screening: nothing was measured.
    Screened,
}

/// What the place of a function explains of the variance between layouts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FunctionPart {
    /// Its index.
    pub function: FunctionIndex,
    /// How often chance does as much to the one that it does most to, among this one and those
    /// behind it.
    pub by_chance: ByChance,
    /// It stands out.
    pub named: bool,
    /// By itself; absent where layouts do not differ beyond noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<ShareFound>,
    /// Together with all that it acts with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<ShareFound>,
    /// What of its place goes with the metric; absent where it does not stand out, and where there
    /// are too few layouts for any feature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_feature: Option<ByPlaceFeature>,
}

/// What the places of all functions that were not looked at singly explain together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OthersPart {
    /// By themselves.
    pub first: ShareFound,
    /// Together with all that they act with.
    pub total: ShareFound,
}

/// What the places of a group of functions seemed to explain, by a few blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupScreened {
    /// The stage, from 0.
    pub stage: u32,
    /// Its functions, as indices.
    pub functions: Vec<FunctionIndex>,
    /// The total share, 0 to 1; absent where layouts do not differ beyond noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// It was looked at more closely.
    pub kept: bool,
}
