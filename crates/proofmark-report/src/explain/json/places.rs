//! Where time is, and how it differs, as JSON.

use proofmark_evidence::record::{
    DifferenceFound, FunctionBetween, FunctionChange, PlaceFound, PlaceOf,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::explain::figures::place;

/// A difference with its interval.
#[derive(Serialize, JsonSchema)]
pub(super) struct DifferenceEntry {
    /// The mean over blocks.
    estimate: f64,
    /// Lower bound.
    low: f64,
    /// Upper bound.
    high: f64,
    /// 0 lies outside of it.
    differs: bool,
}

/// A place and how much of the time is there.
#[derive(Serialize, JsonSchema)]
pub(super) struct PlaceEntry {
    /// `function`, `nameless`, `library`, `kernel` or `unknown`.
    kind: &'static str,
    /// As people call it.
    name: String,
    /// The function's symbol; null of all else.
    symbol: Option<String>,
    /// Its share of the base's CPU time.
    base: f64,
    /// Its CPU time in the new build, as a share of the base's CPU time.
    new: f64,
    /// New less base; null of a place that is too small to be held against noise.
    difference: Option<DifferenceEntry>,
    /// How the function's machine code changed; null where it did not.
    code: Option<CodeEntry>,
    /// The source line of which the time differs most; null without line tables.
    line: Option<LineEntry>,
}

/// How the machine code of a function changed.
#[derive(Serialize, JsonSchema)]
struct CodeEntry {
    /// `changed`, `added` or `removed`.
    how: &'static str,
    /// Bytes in the base and in the build.
    bytes: [u64; 2],
    /// Instructions, likewise.
    instructions: [u64; 2],
    /// Calls in its code, likewise.
    calls: [u64; 2],
    /// Jumps to addresses that it computes, likewise; null where they were not counted.
    indirect_jumps: Option<[u64; 2]>,
}

/// A source line.
#[derive(Serialize, JsonSchema)]
struct LineEntry {
    /// The file's name, without its folder.
    file: String,
    /// From 1.
    line: u32,
    /// Its share of the base's CPU time.
    base: f64,
    /// Its CPU time in the new build, as a share of the base's.
    new: f64,
}

pub(super) fn difference(found: &DifferenceFound) -> DifferenceEntry {
    DifferenceEntry {
        estimate: found.estimate,
        low: found.low,
        high: found.high,
        differs: found.differs(),
    }
}

pub(super) fn place_entry(found: &PlaceFound) -> PlaceEntry {
    let (kind, symbol) = match &found.place {
        PlaceOf::Function { symbol, .. } => ("function", Some(symbol.clone())),
        PlaceOf::Nameless => ("nameless", None),
        PlaceOf::Library { .. } => ("library", None),
        PlaceOf::Kernel => ("kernel", None),
        PlaceOf::Unknown => ("unknown", None),
    };
    PlaceEntry {
        kind,
        name: place(&found.place),
        symbol,
        base: found.base,
        new: found.new,
        difference: found.difference.as_ref().map(difference),
        code: found.code.as_ref().map(code),
        line: found.line.as_ref().map(|line| LineEntry {
            file: line.file.clone(),
            line: line.line,
            base: line.base,
            new: line.new,
        }),
    }
}

fn code(code: &FunctionBetween) -> CodeEntry {
    CodeEntry {
        how: match code.how {
            FunctionChange::Changed => "changed",
            FunctionChange::Added => "added",
            FunctionChange::Removed => "removed",
        },
        bytes: code.bytes,
        instructions: code.instructions,
        calls: code.calls,
        indirect_jumps: code.indirect_jumps,
    }
}
