//! What is said while an experiment runs: one line after the pilot, and one that is redrawn after
//! each block.

use proofmark_evidence::record::Pilot;
use proofmark_stats::{Interval, Verdict};

use crate::matrix::NAME;
use crate::method::schedule;
use crate::number::{self, counted, duration, rough};
use crate::style::{Style, Tone};
use crate::text::{printable, shortened, untied};

/// What the pilot chose, for which benchmark where there are several, and what the rest of the
/// budget can be expected to resolve.
#[must_use]
pub fn pilot_line(benchmark: Option<&str>, pilot: &Pilot, style: &Style) -> String {
    let rounds = counted(pilot.rounds, "round", "rounds");
    let of = benchmark.map_or_else(String::new, |name| {
        format!(" of {}", shortened(&printable(name), NAME))
    });
    let mut text = format!(
        "pilot{of}: {}, {rounds} a block ({})",
        schedule(pilot),
        pilot.reason
    );
    if let Some(resolvable) = pilot.resolvable {
        text.push_str(&format!(
            "\n       at this noise, effects of {} or more can be detected",
            rough(resolvable)
        ));
    }
    style.paint(Tone::Aside, &untied(&text))
}

/// Where an experiment stands: blocks, time left at most, the intervals so far, and whether they
/// only wait for the self-test.
#[must_use]
pub fn progress_line(
    done: u32,
    max: u32,
    elapsed_ms: u64,
    standings: &[Option<(Interval, Verdict)>],
    awaits_certificate: bool,
) -> String {
    let mut text = if awaits_certificate {
        format!("block {done}: equivalent, waits for the self-test")
    } else {
        let left_ms = elapsed_ms / u64::from(done.max(1)) * u64::from(max.saturating_sub(done));
        let left = duration(left_ms);
        format!("block {done} of at most {max}, {left} left at most")
    };
    for (interval, _) in standings.iter().flatten() {
        text.push_str(&format!("   new/base {}", number::interval(interval)));
    }
    untied(&text)
}

/// Where a matrix that is being measured stands.
#[must_use]
pub fn matrix_progress_line(
    benchmark: &str,
    (done, max): (u32, u32),
    elapsed_ms: u64,
    open: usize,
) -> String {
    let benchmark = shortened(&printable(benchmark), NAME);
    untied(&format!(
        "{benchmark}: block {done} of at most {max}, {open} cells still measured, {} so far",
        duration(elapsed_ms)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_the_time_left_and_the_interval() {
        let effect = proofmark_stats::Effect::from_ratio;
        let interval = Interval {
            estimate: effect(0.967),
            low: effect(0.961),
            high: effect(0.973),
        };
        let standings = [Some((interval, Verdict::Faster))];
        let line = progress_line(10, 60, 20_000, &standings, false);
        assert!(
            line.contains("block 10 of at most 60") && line.contains("0.967"),
            "{line}"
        );
        assert!(
            line.contains("1 min 40 s") || line.contains("100 s"),
            "{line}"
        );
        assert!(!line.contains("self-test"), "{line}");
        let waits = progress_line(10, 60, 20_000, &standings, true);
        assert!(
            waits.starts_with("block 10: equivalent, waits") && waits.contains("0.967"),
            "{waits}"
        );
        assert!(waits.chars().count() < 78, "{waits}");
    }
}
