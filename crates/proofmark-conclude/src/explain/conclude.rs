//! From a comparison and the blocks of an explanation to its conclusion.

use proofmark_evidence::Recorded;
use proofmark_evidence::record::{
    AskedOfSystem, Cause, Comparison, DifferenceFound, Explanation, ExplanationBlock,
    ExplanationConclusion, RunAsked, SampledBy, SampledRuns,
};
use proofmark_terms::{Better, BuildIndex, Interval, Metric};

use super::cause::{differs_by_place, first_cause};
use super::counts::{by_hardware, counts};
use super::known::Known;
use super::missed::Missed;
use super::placement::placement;
use super::places::{ALPHA, Pair, difference, mean, of_run, places};
use super::processor::OfProcessor;
use super::worked::Worked;
use crate::{ConcludeError, better};

/// Whether a comparison says of a build that it differs as shipped, and not over layouts as much:
/// then the images as shipped are sampled too.
#[must_use]
pub fn is_by_place(comparison: &Recorded, build: BuildIndex) -> bool {
    let found = comparison.conclusion.iter();
    let mut found = found.flat_map(|one| &one.comparisons);
    let margin = comparison.experiment.design.margin;
    found.find(|one| one.build == build).is_some_and(|one| {
        let shipped = as_shipped(one);
        shipped.is_some_and(|shipped| differs_by_place(&one.interval, &shipped, margin))
    })
}

/// What sampled blocks say of a change that a comparison found.
///
/// # Errors
///
/// When there is one block alone, or the comparison has no conclusion.
pub fn conclude(
    comparison: &Recorded,
    explanation: &Explanation,
    blocks: &[ExplanationBlock],
) -> Result<ExplanationConclusion, ConcludeError> {
    let compared = compared(comparison, explanation, blocks)?;
    let of_blocks = |value: &dyn Fn(&ExplanationBlock) -> f64| -> Option<DifferenceFound> {
        let values: Vec<f64> = blocks.iter().map(value).collect();
        difference(&values, ALPHA)
    };
    let cpu = of_blocks(&|block| of_run(&block.new) / of_run(&block.base) - 1.0);
    let wall = of_blocks(&|block| wall_of(&block.new) / wall_of(&block.base) - 1.0);
    let waiting = of_blocks(&|block| more_waiting(&block.base, &block.new));
    let pairs: Vec<Pair<'_>> = blocks
        .iter()
        .map(|block| [&block.base, &block.new])
        .collect();
    let (places, held) = places(&pairs, &explanation.code);
    let mut counts = counts(
        compared,
        (&explanation.asked, explanation.simulated.as_ref()),
        blocks,
    );
    counts.extend(by_hardware(explanation.hardware.as_ref()));
    let experiment = &comparison.experiment;
    let metric = &experiment.benchmark.metric;
    let in_time = |interval: Interval| match better(metric) {
        Better::Lower => interval,
        Better::Higher => interval.inverted(),
    };
    let change = in_time(compared.interval);
    let call = call_that_differs(&explanation.asked, change.estimate.ln() > 0.0);
    let base_runs: Vec<f64> = blocks.iter().map(|block| of_run(&block.base)).collect();
    let run_ns = mean(&base_runs);
    let by_clock = blocks
        .first()
        .is_some_and(|one| one.base.by == SampledBy::Clock);
    let worked = Worked::of(explanation.simulated.as_ref(), &explanation.code);
    // Callgrind counts instructions in the place of time: nothing tells where time differs.
    let missed = Missed::of(explanation.simulated.as_ref(), &explanation.code);
    let missed = missed.filter(|_| by_clock);
    let cause = first_cause(&Known {
        change,
        as_shipped: as_shipped(compared).map(in_time),
        margin: experiment.design.margin,
        of_wall_time: *metric == Metric::WallTime,
        waiting: waiting.unwrap_or_default(),
        cpu: cpu.unwrap_or_default(),
        places: &places,
        counts: &counts,
        worked: worked.as_ref(),
        call: call.as_deref(),
        calls_at_least: calls_at_least(&explanation.asked, run_ns),
        run_ns,
        unseen: unseen(&explanation.asked, blocks, run_ns),
        processor: OfProcessor::counted(&counts).or_else(|| {
            let runs = explanation.simulated.as_ref()?;
            OfProcessor::simulated(runs, by_clock.then_some(run_ns))
        }),
        missed: missed.as_ref(),
    });
    let placement = (cause == Cause::Placement).then(|| {
        let slower = in_time(
            compared
                .as_shipped
                .as_ref()
                .map_or(compared.interval, |one| one.interval),
        );
        placement(explanation, blocks, &places, slower.estimate.ln() > 0.0)
    });
    Ok(ExplanationConclusion {
        cause,
        cpu,
        wall,
        places,
        compared: held,
        counts,
        placement,
        blocks: u32::try_from(blocks.len()).unwrap_or(u32::MAX),
        base_run_ms: run_ns / 1e6,
        took_ms: blocks
            .iter()
            .map(|block| block.took_ms)
            .fold(0, u64::saturating_add),
    })
}

/// The comparison that is explained.
fn compared<'a>(
    comparison: &'a Recorded,
    explanation: &Explanation,
    blocks: &[ExplanationBlock],
) -> Result<&'a Comparison, ConcludeError> {
    if blocks.len() == 1 {
        return Err(ConcludeError::TooFew {
            blocks: 1,
            what: "difference",
            fewest: 2,
        });
    }
    let lacking = || ConcludeError::Design("the comparison has no conclusion".to_owned());
    let found = comparison.conclusion.as_ref().ok_or_else(lacking)?;
    let mut comparisons = found.comparisons.iter();
    comparisons
        .find(|one| one.build == explanation.build)
        .ok_or_else(lacking)
}

fn as_shipped(comparison: &Comparison) -> Option<Interval> {
    comparison.as_shipped.map(|shipped| shipped.interval)
}

/// Wall time of one run, in nanoseconds.
fn wall_of(runs: &SampledRuns) -> f64 {
    runs.wall_ns.max(1) as f64 / f64::from(runs.runs.max(1))
}

/// How much more of its wall time a run of the new build waits, as a share of the base's wall time.
/// Where one core does the work it is the wall time that CPU time does not fill. Where several do,
/// CPU time fills more than all of it: there it is by how much wall time grew beyond CPU time.
fn more_waiting(base: &SampledRuns, new: &SampledRuns) -> f64 {
    let ratio = wall_of(new) / wall_of(base);
    let several = [base, new].iter().any(|one| of_run(one) > wall_of(one));
    if several {
        return ratio - of_run(new) / of_run(base);
    }
    let waited = |runs: &SampledRuns| wall_of(runs) - of_run(runs);
    (waited(new) - waited(base)) / wall_of(base)
}

/// What the calls that the new build makes more cost at the least, as a share of the CPU time of a
/// run of the base, `run_ns`: each costs going into the kernel and back, part of which is seen in
/// the user code behind the call, whose caches the kernel has used. 0 where that is not known.
fn calls_at_least(asked: &AskedOfSystem, run_ns: f64) -> f64 {
    let AskedOfSystem::Counted {
        base,
        new,
        call_ns: Some(call_ns),
    } = asked
    else {
        return 0.0;
    };
    let calls = |runs: &[RunAsked; 2]| (runs[0].calls as f64 + runs[1].calls as f64) / 2.0;
    if run_ns > 0.0 {
        (calls(new) - calls(base)) * *call_ns as f64 / run_ns
    } else {
        0.0
    }
}

/// How much user time samples may have missed in threads and processes that a run starts, as a
/// share of the CPU time of a run of the base, `run_ns`: in each the clock begins anew with a whole
/// period.
#[must_use]
pub fn unseen(asked: &AskedOfSystem, blocks: &[ExplanationBlock], run_ns: f64) -> f64 {
    let (AskedOfSystem::Counted { base, new, .. }, Some(block)) = (asked, blocks.first()) else {
        return 0.0;
    };
    let started = base.iter().chain(new.iter());
    let started = started.map(|run| run.threads + run.processes).max();
    let period = block.base.between_ns as f64;
    started.unwrap_or(0) as f64 * period / run_ns.max(1.0)
}

/// The system call of which most more are made by the slower build; none where that is not by more
/// than two runs of one build differ. `slower`: the new one is.
fn call_that_differs(asked: &AskedOfSystem, slower: bool) -> Option<String> {
    let AskedOfSystem::Counted { base, new, .. } = asked else {
        return None;
    };
    let of = |runs: &[RunAsked; 2], call: &str| -> [u64; 2] {
        runs.each_ref().map(|run| {
            let mut by_name = run.by_name.iter();
            by_name
                .find(|(name, _)| name == call)
                .map_or(0, |one| one.1)
        })
    };
    let all = base.iter().chain(new.iter()).flat_map(|run| &run.by_name);
    let more = |call: &String| {
        let (base, new) = (of(base, call), of(new, call));
        let noise = base[0].abs_diff(base[1]).max(new[0].abs_diff(new[1]));
        let (from, to) = if slower { (base, new) } else { (new, base) };
        let by = to[0]
            .saturating_sub(from[0])
            .min(to[1].saturating_sub(from[1]));
        (by > 2 * noise).then_some(by)
    };
    let found = all.filter_map(|(call, _)| Some((more(call)?, call)));
    found.max().map(|(_, call)| call.clone())
}

#[cfg(test)]
mod tests {
    use proofmark_evidence::record::SampledBy;

    use super::*;

    fn took(wall_ns: u64, cpu_ns: u64) -> SampledRuns {
        SampledRuns {
            by: SampledBy::Clock,
            runs: 1,
            cpu_ns,
            wall_ns,
            page_faults: 0,
            waits: 0,
            preempted: 0,
            samples: 0,
            between_ns: 1,
            functions: Vec::new(),
            elsewhere: Vec::new(),
        }
    }

    #[test]
    fn waiting_is_told_on_one_core_and_on_several() {
        let more = |base: SampledRuns, new: SampledRuns| more_waiting(&base, &new);
        let is = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found}");
        // Asleep for 20 more of 100; working for 20 more.
        is(more(took(100, 90), took(120, 90)), 0.2);
        is(more(took(100, 90), took(120, 110)), 0.0);
        // Two cores at once, and then one after the other: the same work in twice the time.
        is(more(took(100, 190), took(190, 190)), 0.9);
        // Two cores, each with half as much work again.
        is(more(took(100, 190), took(150, 285)), 0.0);
    }

    #[test]
    fn the_call_that_is_named_is_one_of_which_the_slower_build_makes_more() {
        let run = |lseek: u64, mmap: u64| RunAsked {
            calls: lseek + mmap,
            by_name: vec![("lseek".to_owned(), lseek), ("mmap".to_owned(), mmap)],
            read: 0,
            written: 0,
            processes: 0,
            threads: 0,
        };
        let asked = AskedOfSystem::Counted {
            base: Box::new([run(12_008, 8), run(12_008, 8)]),
            new: Box::new([run(8, 8_008), run(8, 8_008)]),
            call_ns: None,
        };
        let called = |slower| call_that_differs(&asked, slower);
        assert_eq!(called(true).as_deref(), Some("mmap"));
        assert_eq!(called(false).as_deref(), Some("lseek"));
    }
}
