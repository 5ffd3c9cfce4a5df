//! Where hot code stands, and what of that meets, as JSON.

use proofmark_evidence::record::{
    Conflict, HotBy, HotPlace, JumpErratum, PlacedCode, PlacedImage, PlacementFound,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::places::{PlaceEntry, place_entry};

/// Where the hot code of the builds' own images stands.
#[derive(Serialize, JsonSchema)]
pub(super) struct PlacedEntry {
    /// What said which code is hot: `model` or `samples`.
    by: &'static str,
    /// The instruction cache that sets are of.
    cache: String,
    /// Whether Intel's erratum of jumps is the processor's: `listed`, `not-said` or `other`.
    erratum: &'static str,
    /// Of the base.
    base: ImageEntry,
    /// Of the build.
    new: ImageEntry,
}

/// The hot code of one image.
#[derive(Serialize, JsonSchema)]
struct ImageEntry {
    /// Lines of the instruction cache that it takes.
    lines: u64,
    /// Pages of 4 KiB that it takes.
    pages: u64,
    /// Lines that a group of sets can hold.
    room: u64,
    /// Lines in the group that most fall into.
    fullest: u64,
    /// Groups that more lines fall into than they can hold.
    overfull: u64,
    /// Lines that are in these, beyond what they can hold.
    beyond: u64,
    /// Its functions, the hottest first; not all of them.
    functions: Vec<HotEntry>,
}

/// A hot function where its image has it.
#[derive(Serialize, JsonSchema)]
struct HotEntry {
    /// Its symbol.
    symbol: String,
    /// Where it starts, as linked.
    start: u64,
    /// Its share of the instructions, or samples, from 0 to 1.
    share: f64,
    /// Whether hot lines of it are in an overfull group of sets.
    in_overfull: bool,
    /// Its loops.
    loops: u64,
    /// Those whose first instruction crosses a line of 64 bytes.
    loops_across: u64,
    /// Lines of 64 bytes that its loops touch beyond the fewest that would hold them.
    lines_beyond: u64,
    /// Jumps in its loops that cross or end a line of 32 bytes.
    jumps: u64,
    /// Calls of other files across 4 GiB in its loops.
    far_calls: u64,
    /// Width of the widest vector register that it names, in bits; 0 for none.
    vector_bits: u64,
    /// Instructions that read or write its stack.
    spills: u64,
}

/// What the images as shipped say of a difference by place.
#[derive(Serialize, JsonSchema)]
pub(super) struct PlacementEntry {
    /// Places whose time differs as shipped and not over layouts.
    places: Vec<PlaceEntry>,
    /// How many places were held against noise as shipped.
    compared: u32,
    /// What the slower image meets more of; null where nothing is seen.
    conflict: Option<ConflictEntry>,
}

/// What the hot code of the slower image meets more of. Pairs are of base and build.
#[derive(Serialize, JsonSchema)]
struct ConflictEntry {
    /// `cache-sets`, `jumps` or `loops`.
    kind: &'static str,
    /// Lines that do not fit their sets; jumps of the erratum; lines beyond the fewest of loops.
    count: [u64; 2],
    /// Functions of the slower image, the hottest first; not all of them.
    functions: Vec<String>,
}

/// Where hot code stands, or why nobody can say.
pub(super) fn placed(code: Option<&PlacedCode>) -> (Option<PlacedEntry>, Option<String>) {
    match code {
        Some(PlacedCode::Read {
            by,
            cache,
            erratum,
            base,
            new,
        }) => {
            let entry = PlacedEntry {
                by: match by {
                    HotBy::Model => "model",
                    HotBy::Samples => "samples",
                },
                cache: cache.clone(),
                erratum: match erratum {
                    JumpErratum::Listed => "listed",
                    JumpErratum::NotSaid => "not-said",
                    JumpErratum::Other => "other",
                },
                base: image(base),
                new: image(new),
            };
            (Some(entry), None)
        }
        Some(PlacedCode::Unread { reason }) => (None, Some(reason.clone())),
        None => (None, Some("nobody asked".to_owned())),
    }
}

fn image(image: &PlacedImage) -> ImageEntry {
    ImageEntry {
        lines: image.lines,
        pages: image.pages,
        room: image.room,
        fullest: image.fullest,
        overfull: image.overfull,
        beyond: image.beyond,
        functions: image.functions.iter().map(hot).collect(),
    }
}

fn hot(hot: &HotPlace) -> HotEntry {
    HotEntry {
        symbol: hot.symbol.clone(),
        start: hot.start,
        share: hot.share,
        in_overfull: hot.in_overfull,
        loops: hot.loops,
        loops_across: hot.loops_across,
        lines_beyond: hot.lines_beyond,
        jumps: hot.jumps,
        far_calls: hot.far_calls,
        vector_bits: hot.vector_bits,
        spills: hot.spills,
    }
}

/// What the images as shipped say.
pub(super) fn placement(found: &PlacementFound) -> PlacementEntry {
    let conflict = found.conflict.as_ref().map(|conflict| match conflict {
        Conflict::CacheSets { beyond, names, .. } => ("cache-sets", beyond, names),
        Conflict::Jumps { jumps, names } => ("jumps", jumps, names),
        Conflict::Loops { lines, names, .. } => ("loops", lines, names),
    });
    PlacementEntry {
        places: found.places.iter().map(place_entry).collect(),
        compared: found.compared,
        conflict: conflict.map(|(kind, count, names)| ConflictEntry {
            kind,
            count: *count,
            functions: names.clone(),
        }),
    }
}
