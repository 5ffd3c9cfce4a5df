//! What the processor's counters and a model of it say, as JSON.

use proofmark_evidence::record::{
    HardwareCount, HardwareRuns, SimulatedMisses, SimulatedRun, SimulatedRuns,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::explain::figures::counted;

/// One run of each build in a model of caches and branches.
#[derive(Serialize, JsonSchema)]
pub(super) struct SimulatedEntry {
    /// The caches of the model, in words: instructions, data, the last level.
    caches: [String; 3],
    /// Of the base.
    base: MissesEntry,
    /// Of the build.
    new: MissesEntry,
    /// Of functions that miss more often, or less, in one of them; null where nobody recorded them.
    functions: Option<Vec<FunctionMisses>>,
}

/// What a model counts of one function.
#[derive(Serialize, JsonSchema)]
struct FunctionMisses {
    /// Its symbol; empty where the file names none.
    symbol: String,
    /// In the base.
    base: MissesEntry,
    /// In the build.
    new: MissesEntry,
}

impl From<&SimulatedMisses> for FunctionMisses {
    fn from(one: &SimulatedMisses) -> Self {
        FunctionMisses {
            symbol: one.symbol.clone(),
            base: (&one.base).into(),
            new: (&one.new).into(),
        }
    }
}

/// What a model counts of one run, or of one function in it.
#[derive(Serialize, JsonSchema)]
struct MissesEntry {
    /// Instructions.
    instructions: u64,
    /// Reads of instructions that the first level did not hold.
    i1: u64,
    /// Accesses of data that the first level did not hold.
    d1: u64,
    /// Reads of instructions that the last level did not hold either.
    ll_instructions: u64,
    /// Accesses of data that the last level did not hold either.
    ll_data: u64,
    /// Branches that were not foreseen.
    branches: u64,
}

impl From<&SimulatedRun> for MissesEntry {
    fn from(run: &SimulatedRun) -> Self {
        MissesEntry {
            instructions: run.instructions,
            i1: run.i1,
            d1: run.d1,
            ll_instructions: run.ll_instructions,
            ll_data: run.ll_data,
            branches: run.branches,
        }
    }
}

/// What the processor's own counters say.
#[derive(Serialize, JsonSchema)]
pub(super) struct HardwareEntry {
    /// What was counted.
    counters: Vec<CounterEntry>,
    /// Counters that were asked for and are not there, each with the reason.
    lacking: Vec<String>,
}

/// One counter over runs of both builds in turn.
#[derive(Serialize, JsonSchema)]
struct CounterEntry {
    /// What is counted.
    what: &'static str,
    /// Runs of the base.
    base: Vec<u64>,
    /// Runs of the build.
    new: Vec<u64>,
}

/// What a model says, or why there is nothing.
pub(super) fn simulated(runs: Option<&SimulatedRuns>) -> (Option<SimulatedEntry>, Option<String>) {
    match runs {
        Some(SimulatedRuns::Counted {
            caches,
            base,
            new,
            misses,
            ..
        }) => {
            let functions = misses.as_ref();
            let functions = functions.map(|all| all.iter().map(FunctionMisses::from).collect());
            let entry = SimulatedEntry {
                caches: caches.clone(),
                base: base.into(),
                new: new.into(),
                functions,
            };
            (Some(entry), None)
        }
        Some(SimulatedRuns::Unavailable { reason }) => (None, Some(reason.clone())),
        None => (None, Some("nobody asked".to_owned())),
    }
}

/// What counters say, or why there are none.
pub(super) fn hardware(runs: Option<&HardwareRuns>) -> (Option<HardwareEntry>, Option<String>) {
    match runs {
        Some(HardwareRuns::Counted { counters, lacking }) => {
            let counter = |one: &HardwareCount| CounterEntry {
                what: counted(one.what),
                base: one.base.clone(),
                new: one.new.clone(),
            };
            let entry = HardwareEntry {
                counters: counters.iter().map(counter).collect(),
                lacking: lacking.clone(),
            };
            (Some(entry), None)
        }
        Some(HardwareRuns::Unavailable { reason }) => (None, Some(reason.clone())),
        None => (None, Some("nobody asked".to_owned())),
    }
}
