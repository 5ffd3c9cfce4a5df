//! What was found, as JSON.

use proofmark_evidence::record::Cause;
use schemars::JsonSchema;
use serde::Serialize;

use super::placed::{PlacementEntry, placement};
use super::places::{DifferenceEntry, PlaceEntry, difference, place_entry};
use crate::explain::explained::Explained;
use crate::explain::figures::counted;
use crate::explain::paragraph::{cause_words, sentences};

/// What was found.
#[derive(Serialize, JsonSchema)]
pub(super) struct ConclusionEntry {
    /// The first cause: `no-difference`, `undecided`, `placement`, `work`, `system-calls`, `no-longer-inlined`,
    /// `changed-code`, `library`, `page-faults`, `bytes-moved`, `kernel`, `waiting`, `data-cache`,
    /// `instruction-cache`, `branches` or `unexplained`.
    cause: &'static str,
    /// The same in words.
    words: String,
    /// The function that the cause is about; null where it is about none.
    function: Option<String>,
    /// The paragraph: each sentence with its evidence.
    sentences: Vec<SentenceEntry>,
    /// CPU time of sampled runs, new less base, as a share of the base's.
    cpu: Option<DifferenceEntry>,
    /// Their wall time.
    wall: Option<DifferenceEntry>,
    /// What was counted of a run.
    counts: Vec<CountEntry>,
    /// Where the CPU time is.
    places: Vec<PlaceEntry>,
    /// How many of these were held against noise: their intervals hold together.
    compared: u32,
    /// What the images as shipped say, where place makes the difference; null otherwise.
    placement: Option<PlacementEntry>,
    /// Blocks.
    blocks: u32,
    /// CPU time of a sampled run of the base, in milliseconds.
    base_run_ms: f64,
    /// How long the blocks took, in milliseconds.
    took_ms: u64,
}

/// A sentence of the paragraph.
#[derive(Serialize, JsonSchema)]
struct SentenceEntry {
    /// What it is about.
    about: &'static str,
    /// The sentence.
    words: String,
    /// What it rests on.
    evidence: String,
}

/// A count.
#[derive(Serialize, JsonSchema)]
struct CountEntry {
    /// What is counted.
    what: &'static str,
    /// Of a run of the base.
    base: f64,
    /// Of a run of the build.
    new: f64,
    /// They differ beyond what runs of one build do.
    differs: bool,
}

pub(super) fn concluded(explained: Explained<'_>) -> ConclusionEntry {
    let found = explained.conclusion;
    let (cause, function) = cause(&found.cause);
    let said = sentences(explained).into_iter().map(|one| SentenceEntry {
        about: one.about,
        words: one.words,
        evidence: one.evidence,
    });
    ConclusionEntry {
        cause,
        words: cause_words(&found.cause),
        function,
        sentences: said.collect(),
        cpu: found.cpu.as_ref().map(difference),
        wall: found.wall.as_ref().map(difference),
        counts: found
            .counts
            .iter()
            .map(|one| CountEntry {
                what: counted(one.what),
                base: one.base,
                new: one.new,
                differs: one.differs,
            })
            .collect(),
        places: found.places.iter().map(place_entry).collect(),
        compared: found.compared,
        placement: found.placement.as_ref().map(placement),
        blocks: found.blocks,
        base_run_ms: found.base_run_ms,
        took_ms: found.took_ms,
    }
}

fn cause(cause: &Cause) -> (&'static str, Option<String>) {
    match cause {
        Cause::NoDifference => ("no-difference", None),
        Cause::Undecided => ("undecided", None),
        Cause::Placement => ("placement", None),
        Cause::Work { function } => ("work", function.clone()),
        Cause::SystemCalls { .. } => ("system-calls", None),
        Cause::NoLongerInlined { function, .. } => ("no-longer-inlined", Some(function.clone())),
        Cause::ChangedCode { function } => ("changed-code", Some(function.clone())),
        Cause::Library { .. } => ("library", None),
        Cause::PageFaults => ("page-faults", None),
        Cause::BytesMoved { .. } => ("bytes-moved", None),
        Cause::Kernel => ("kernel", None),
        Cause::Waiting => ("waiting", None),
        Cause::DataCache => ("data-cache", None),
        Cause::InstructionCache => ("instruction-cache", None),
        Cause::Branches => ("branches", None),
        Cause::Unexplained { .. } => ("unexplained", None),
    }
}
