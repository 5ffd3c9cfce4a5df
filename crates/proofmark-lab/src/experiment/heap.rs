//! Whether the heaps of runs begin at a drawn place.

use proofmark_evidence::record::{Benchmark, HeapStart, LayoutControl};
use proofmark_measure::moves_heaps;
use proofmark_terms::{Metric, OsText};

/// Where the heaps of runs in these layouts begin. `run`: all commands of which some build is
/// measured.
pub(crate) fn heap_start(layouts: &LayoutControl, run: &[&Benchmark]) -> HeapStart {
    // A heap that begins behind a page has a page more.
    let is_memory = |benchmark: &&Benchmark| benchmark.metric == Metric::PeakMemory;
    if !layouts.is_drawn() || run.iter().any(is_memory) {
        return HeapStart::default();
    }
    let image = OsText::from("{}");
    let mut first = run.iter().filter_map(|benchmark| benchmark.argv.first());
    let other = first.find(|word| **word != image);
    let why = match other {
        // What is moved is the heap of what is started, and not of what this starts.
        Some(other) => format!(
            "the command starts {}, not the build",
            other.as_ref().display()
        ),
        None => match moves_heaps() {
            Ok(()) => return HeapStart::Drawn,
            Err(why) => format!("it cannot be moved: {why}"),
        },
    };
    HeapStart::AtPage { why: Some(why) }
}
