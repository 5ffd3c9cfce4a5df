//! At which starts of a function its loops begin across a line of the cache: from the machine code,
//! a description.

use proofmark_evidence::record::{Sweep, SweepConclusion, SweptFunction};

use super::{all_functions, differ};
use crate::line::Line;
use crate::text::printable;

/// Most loops that are named.
const NAMED: usize = 4;
/// Bytes of the lines that are told of.
const LINES: [u64; 2] = [32, 64];

/// Of each loop, the starts at which its first instruction crosses a line. Where code is moved
/// within a function, starts do not tell of it.
pub(super) fn heads(sweep: &Sweep, conclusion: &SweepConclusion) -> Option<Line> {
    if sweep.inside.is_some() || !differ(conclusion) {
        return None;
    }
    let several = all_functions(sweep).nth(1).is_some();
    let mut told: Vec<String> = Vec::new();
    for function in all_functions(sweep) {
        let whose = if several {
            format!("{} ", printable(&function.name))
        } else {
            String::new()
        };
        told.extend(of_function(function, &whose));
    }
    let more = told.len().saturating_sub(NAMED);
    told.truncate(NAMED);
    if more > 0 {
        told.push(format!("{more} more in --json"));
    }
    (!told.is_empty()).then(|| Line {
        label: "loop heads",
        words: format!(
            "across a line where the function starts at: {}",
            told.join("; ")
        ),
    })
}

/// The loops of a function whose first instruction can cross a line.
fn of_function(function: &SweptFunction, whose: &str) -> Vec<String> {
    let longer = function.heads.iter().filter(|[_, length]| *length > 1);
    let told = |[offset, length]: &[u64; 2]| {
        let starts =
            LINES.map(|line| format!("{} modulo {line}", span(crossing(*offset, *length, line))));
        format!("{} (loop {whose}+{offset:#x})", starts.join(", "))
    };
    longer.map(told).collect()
}

/// The first and the last start modulo a line at which an instruction of so many bytes, at least
/// two, at this offset crosses the line.
fn crossing(offset: u64, length: u64, line: u64) -> (u64, u64) {
    let at = |place: u64| (place + line - offset % line) % line;
    (at(line + 1 - length.min(line)), at(line - 1))
}

/// `5`, `5 to 7`, or `62 to 1`, which goes through 0.
fn span((first, last): (u64, u64)) -> String {
    if first == last {
        first.to_string()
    } else {
        format!("{first} to {last}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_starts_at_which_an_instruction_crosses_a_line_are_told() {
        for line in LINES {
            for offset in [0, 1, 29, 31, 32, 63, 64, 200] {
                for length in 2..=15 {
                    let crosses = |start: u64| {
                        (start + offset) / line != (start + offset + length - 1) / line
                    };
                    let (first, last) = crossing(offset, length, line);
                    let told =
                        |start: u64| (start + line - first) % line <= (last + line - first) % line;
                    for start in 0..line {
                        assert_eq!(
                            told(start),
                            crosses(start),
                            "{start} +{offset} {length} {line}"
                        );
                    }
                }
            }
        }
        assert_eq!(span(crossing(0x23, 4, 64)), "26 to 28");
        assert_eq!(span(crossing(0, 2, 32)), "31");
    }
}
