//! Whether the heaps of runs begin at a drawn place.

use proofmark_evidence::record::{Benchmark, HeapStart, LayoutControl};
use proofmark_measure::moves_heaps;
use proofmark_terms::{Metric, OsText};

/// Where the heaps of runs in these layouts begin. `run`: all commands of which some build is
/// measured.
pub(crate) fn heap_start(layouts: &LayoutControl, run: &[&Benchmark]) -> HeapStart {
    if !layouts.is_drawn() {
        return HeapStart::default();
    }
    let memory = run
        .iter()
        .any(|benchmark| benchmark.metric == Metric::PeakMemory);
    let image = OsText::from("{}");
    let mut first = run.iter().filter_map(|benchmark| benchmark.argv.first());
    let other = first.find(|word| **word != image);
    let why = match (other, moves_heaps()) {
        // What is moved is the heap of what is started, and not of what this starts.
        _ if memory => "the peak of memory is measured, which would be larger".to_owned(),
        (Some(other), _) => format!(
            "the command starts {}, not the build",
            other.as_ref().display()
        ),
        (None, Err(why)) => format!("it cannot be moved: {why}"),
        (None, Ok(())) => return HeapStart::Drawn,
    };
    HeapStart::AtPage { why: Some(why) }
}
