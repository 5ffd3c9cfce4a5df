//! What is known of a change, from which its first cause is told.

use proofmark_evidence::record::{CountFound, Counted, DifferenceFound, PlaceFound};
use proofmark_terms::{Interval, Margin};

use super::missed::Missed;
use super::processor::OfProcessor;
use super::worked::Worked;

/// What carries this much of a change is its first cause.
pub(super) const MOST: f64 = 0.5;
/// The call by which threads wait for each other.
pub(super) const LOCK: &str = "futex";

/// What is known of a change.
#[derive(Clone, Debug)]
pub struct Known<'a> {
    /// new ÷ base over layouts, or of the images as they are where layouts are not varied.
    pub change: Interval,
    /// new ÷ base of the images as shipped, beside those layouts.
    pub as_shipped: Option<Interval>,
    /// What counts as no difference.
    pub margin: Margin,
    /// The change is one of wall time.
    pub of_wall_time: bool,
    /// CPU time that is not wall time: how much more of it is spent waiting, as a share of the
    /// base's wall time.
    pub waiting: DifferenceFound,
    /// How much more CPU time there is, as a share of the base's.
    pub cpu: DifferenceFound,
    /// Where the time is.
    pub places: &'a [PlaceFound],
    /// What was counted.
    pub counts: &'a [CountFound],
    /// Which functions execute more, or fewer, instructions.
    pub worked: Option<&'a Worked>,
    /// The system call of which most more, or less, are made.
    pub call: Option<&'a str>,
    /// What the calls that are made more, or less, cost at the least, as a share of the base's CPU
    /// time; 0 where that is not known.
    pub calls_at_least: f64,
    /// CPU time of a run of the base, in nanoseconds.
    pub run_ns: f64,
    /// How much user time of threads and processes that a run starts samples may have missed, as a
    /// share of the base's CPU time: it is in the kernel's row.
    pub unseen: f64,
    /// What the processor's counters say, or a model of it.
    pub processor: Option<OfProcessor>,
    /// Where misses differ, by a model; absent where nobody knows, or nothing tells where the time
    /// is.
    pub missed: Option<&'a Missed>,
}

/// New less base of a count, where they differ; 0 otherwise.
pub(super) fn more(known: &Known<'_>, what: Counted) -> f64 {
    let mut of_it = known.counts.iter().filter(|one| one.what == what);
    of_it
        .find(|one| one.differs)
        .map_or(0.0, |one| one.new - one.base)
}
