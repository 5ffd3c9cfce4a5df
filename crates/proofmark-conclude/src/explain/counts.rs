//! What was counted of a run of each build.

use proofmark_evidence::record::{
    AskedOfSystem, Comparison, CountFound, Counted, ExplanationBlock, HardwareCount, HardwareRuns,
    Instructions, RunAsked, SampledBy, SampledRuns, SimulatedRuns, WorkChange,
};

use crate::conclude::work_change;

use super::places::{ALPHA, difference, mean};

/// All counts, in the order in which they are shown.
pub(super) fn counts(
    comparison: &Comparison,
    (asked, simulated): (&AskedOfSystem, Option<&SimulatedRuns>),
    blocks: &[ExplanationBlock],
) -> Vec<CountFound> {
    let counted = instructions(comparison).or_else(|| executed(simulated?));
    let mut counts: Vec<CountFound> = counted.into_iter().collect();
    if let AskedOfSystem::Counted { base, new, .. } = asked {
        let by = |what, count: fn(&RunAsked) -> u64| {
            twice(what, base.each_ref().map(count), new.each_ref().map(count))
        };
        counts.push(by(Counted::SystemCalls, |run| run.calls));
        counts.push(by(Counted::BytesRead, |run| run.read));
        counts.push(by(Counted::BytesWritten, |run| run.written));
    }
    // Under valgrind they would be valgrind's.
    let natural = |block: &ExplanationBlock| block.base.by == SampledBy::Clock;
    if blocks.is_empty() || !blocks.iter().all(natural) {
        return counts;
    }
    let by = |what, count: fn(&SampledRuns) -> u64| by_block(what, blocks, count);
    counts.push(by(Counted::PageFaults, |runs| runs.page_faults));
    counts.push(by(Counted::Waits, |runs| runs.waits));
    counts.push(by(Counted::Preempted, |runs| runs.preempted));
    counts
}

fn instructions(comparison: &Comparison) -> Option<CountFound> {
    match &comparison.instructions {
        Instructions::Counted {
            base, new, work, ..
        } => Some(CountFound {
            what: Counted::Instructions,
            base: *base as f64,
            new: *new as f64,
            differs: *work == WorkChange::Changed,
        }),
        Instructions::Unavailable { .. } => None,
    }
}

/// Instructions of the simulated runs, where the comparison counted none.
fn executed(simulated: &SimulatedRuns) -> Option<CountFound> {
    match simulated {
        SimulatedRuns::Counted { base, new, .. } => {
            let counts = [base.instructions, new.instructions];
            Some(CountFound {
                what: Counted::Instructions,
                base: base.instructions as f64,
                new: new.instructions as f64,
                differs: work_change(counts, None) == WorkChange::Changed,
            })
        }
        SimulatedRuns::Unavailable { .. } => None,
    }
}

/// Counts of two runs of each: they differ where the builds are further apart than two runs of one.
fn twice(what: Counted, base: [u64; 2], new: [u64; 2]) -> CountFound {
    let middle = |two: [u64; 2]| (two[0] as f64 + two[1] as f64) / 2.0;
    let apart = |two: [u64; 2]| two[0].abs_diff(two[1]) as f64;
    let (base_mean, new_mean) = (middle(base), middle(new));
    CountFound {
        what,
        base: base_mean,
        new: new_mean,
        differs: (new_mean - base_mean).abs() > 2.0 * apart(base).max(apart(new)),
    }
}

/// Counts of every sampled run: they differ where the interval over blocks excludes 0.
fn by_block(
    what: Counted,
    blocks: &[ExplanationBlock],
    count: fn(&SampledRuns) -> u64,
) -> CountFound {
    let of = |runs: &SampledRuns| count(runs) as f64 / f64::from(runs.runs.max(1));
    let base: Vec<f64> = blocks.iter().map(|block| of(&block.base)).collect();
    let new: Vec<f64> = blocks.iter().map(|block| of(&block.new)).collect();
    let differences: Vec<f64> = new.iter().zip(&base).map(|(n, b)| n - b).collect();
    CountFound {
        what,
        base: mean(&base),
        new: mean(&new),
        differs: difference(&differences, ALPHA).is_some_and(|found| found.differs()),
    }
}

/// What the processor's own counters say: they differ where the interval over pairs of runs excludes
/// 0, all of them together.
pub(super) fn by_hardware(hardware: Option<&HardwareRuns>) -> Vec<CountFound> {
    let Some(HardwareRuns::Counted { counters, .. }) = hardware else {
        return Vec::new();
    };
    let level = ALPHA / counters.len().max(1) as f64;
    let found = |counter: &HardwareCount| {
        let values = |runs: &[u64]| runs.iter().map(|count| *count as f64).collect::<Vec<f64>>();
        let (base, new) = (values(&counter.base), values(&counter.new));
        let differences: Vec<f64> = new.iter().zip(&base).map(|(n, b)| n - b).collect();
        CountFound {
            what: counter.what,
            base: mean(&base),
            new: mean(&new),
            differs: difference(&differences, level).is_some_and(|found| found.differs()),
        }
    };
    counters.iter().map(found).collect()
}
