//! The sentence on who carries a difference by place, and on what of the code's place may make it.

use proofmark_evidence::record::{Conflict, HotBy, PlacedCode};

use super::explained::{Explained, Sentence};
use super::figures::one_place;
use crate::number::counted;

/// Names that are shown.
const NAMES: usize = 3;

/// The conflict, for the headline.
pub(super) fn in_short(conflict: &Conflict) -> &'static str {
    match conflict {
        Conflict::CacheSets { .. } => {
            "; the conflict: hot code in sets of the instruction cache that cannot hold it"
        }
        Conflict::Jumps { .. } => "; the conflict: jumps of Intel's erratum in hot loops",
        Conflict::Loops { .. } => "; the conflict: hot loops across lines of 64 bytes",
    }
}

/// Of a difference by place; none of any other.
pub(super) fn sentence(explained: Explained<'_>) -> Option<Sentence> {
    let found = explained.conclusion.placement.as_ref()?;
    let apart: Vec<String> = found.places.iter().take(NAMES).map(one_place).collect();
    let others = found.places.len().saturating_sub(NAMES);
    let others = if others > 0 {
        format!(", and {others} more")
    } else {
        String::new()
    };
    let carried = match (apart.as_slice(), found.compared) {
        (_, 0) => "the images as shipped were not sampled".to_owned(),
        ([], compared) => {
            format!("as shipped none of {compared} places differs other than over layouts")
        }
        (apart, compared) => format!(
            "as shipped, and not over layouts, of {compared} places these differ: {}{others}",
            apart.join("; ")
        ),
    };
    let conflict = match (&found.conflict, &explained.recorded.explanation.placed) {
        (Some(conflict), _) => words(conflict, explained.names()),
        (None, Some(PlacedCode::Unread { reason })) => {
            format!("what meets there is not known: {reason}")
        }
        (None, _) => "the hot code of the slower image meets no more than that of the other in \
                      what is looked at: sets of the instruction cache, jumps of Intel's \
                      erratum, lines of loops"
            .to_owned(),
    };
    Some(Sentence {
        about: "placement",
        words: format!("{carried}; {conflict}"),
        evidence: evidence(explained),
    })
}

fn words(conflict: &Conflict, names: [&str; 2]) -> String {
    let of = |pair: &[u64; 2], functions: &[String]| {
        let slow = usize::from(pair[1] > pair[0]);
        let shown = functions.iter().take(NAMES).cloned();
        let shown: Vec<String> = shown.collect();
        (slow, names[slow], names[1 - slow], shown.join(", "))
    };
    match conflict {
        Conflict::CacheSets {
            beyond,
            sets,
            fullest,
            room,
            functions,
            names,
        } => {
            let (slow, slower, faster, shown) = of(beyond, names);
            format!(
                "in {slower} {} hot lines of {} ({shown}, …) do not fit their sets of the \
                 instruction cache: {} with {} at most, where {room} have room; in {faster} {} do \
                 not",
                beyond[slow],
                counted(*functions, "function", "functions"),
                counted(u32::try_from(sets[slow]).unwrap_or(u32::MAX), "set", "sets"),
                fullest[slow],
                beyond[1 - slow],
            )
        }
        Conflict::Jumps { jumps, names } => {
            let (slow, slower, faster, shown) = of(jumps, names);
            format!(
                "in {slower} {} jumps in loops of these cross or end a line of 32 bytes, which \
                 Intel's erratum makes slow on this processor ({shown}); in {faster} {}",
                jumps[slow],
                jumps[1 - slow],
            )
        }
        Conflict::Loops {
            lines,
            across,
            names,
        } => {
            let both = [lines[0] + across[0], lines[1] + across[1]];
            let (slow, slower, faster, shown) = of(&both, names);
            format!(
                "in {slower} loops of these touch {} lines of 64 bytes more than would hold them, \
                 and {} begin across one ({shown}); in {faster} {} and {}",
                lines[slow],
                across[slow],
                lines[1 - slow],
                across[1 - slow],
            )
        }
    }
}

fn evidence(explained: Explained<'_>) -> String {
    match &explained.recorded.explanation.placed {
        Some(PlacedCode::Read { by, cache, .. }) => {
            let by = match by {
                HotBy::Model => "what a simulated run executes",
                HotBy::Samples => "functions that samples are in",
            };
            format!(
                "sampled runs of the images as shipped, beside those in drawn layouts; their \
                 machine code, hot by {by}; instruction cache {cache}"
            )
        }
        _ => "sampled runs of the images as shipped".to_owned(),
    }
}
