//! Why runs were made as they were, and what is known of the programs.

use proofmark_evidence::Recorded;
use proofmark_evidence::record::{Observation, Schedule};

use super::build_name;
use crate::text::printable;

/// A line for the way in which runs were made, with its reason, and one for what programs do beside
/// their work: `base, new: makes 2 threads, asks for the number of cores`.
pub(crate) fn programs(recorded: &Recorded) -> Vec<String> {
    let Some(pilot) = &recorded.pilot else {
        return Vec::new();
    };
    let way = match pilot.schedule {
        Schedule::Sliced { .. } => "slices",
        Schedule::Interleaved => "whole runs",
    };
    let mut lines = vec![format!("{way}: {}", printable(&pilot.reason))];
    let mut told: Vec<&str> = vec![&pilot.reason];
    for seen in &pilot.program {
        if !told.contains(&seen.found.as_str()) {
            told.push(&seen.found);
            lines.push(found(recorded, &pilot.program, &seen.found));
        }
    }
    lines
}

/// What was found, behind the names of all builds of which it was.
fn found(recorded: &Recorded, all: &[Observation], found: &str) -> String {
    let such = all.iter().filter(|seen| seen.found == found);
    let names: Vec<String> = such.map(|seen| build_name(recorded, seen.build)).collect();
    format!("{}: {}", names.join(", "), printable(found))
}
