//! From a comparison and the blocks of an explanation to its conclusion.

use proofmark_evidence::Recorded;
use proofmark_evidence::record::{
    AskedOfSystem, Comparison, DifferenceFound, Explanation, ExplanationBlock,
    ExplanationConclusion, RunAsked, SampledRuns,
};
use proofmark_terms::{Better, Interval, Metric};

use super::cause::{Known, Simulated, first_cause};
use super::counts::counts;
use super::places::{ALPHA, difference, mean, of_run, places};
use crate::{ConcludeError, better};

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
    let compared = comparisons
        .find(|one| one.build == explanation.build)
        .ok_or_else(lacking)?;
    let of_blocks = |value: &dyn Fn(&ExplanationBlock) -> f64| -> Option<DifferenceFound> {
        let values: Vec<f64> = blocks.iter().map(value).collect();
        difference(&values, ALPHA)
    };
    let cpu = of_blocks(&|block| of_run(&block.new) / of_run(&block.base) - 1.0);
    let wall = of_blocks(&|block| wall_of(&block.new) / wall_of(&block.base) - 1.0);
    let waiting =
        of_blocks(&|block| (waited(&block.new) - waited(&block.base)) / wall_of(&block.base));
    let (places, held) = places(blocks, &explanation.code);
    let counts = counts(compared, &explanation.asked, blocks);
    let experiment = &comparison.experiment;
    let metric = &experiment.benchmark.metric;
    let in_time = |interval: Interval| match better(metric) {
        Better::Lower => interval,
        Better::Higher => interval.inverted(),
    };
    let call = call_that_differs(&explanation.asked);
    let base_runs: Vec<f64> = blocks.iter().map(|block| of_run(&block.base)).collect();
    let cause = first_cause(&Known {
        change: in_time(compared.interval),
        as_shipped: as_shipped(compared).map(in_time),
        margin: experiment.design.margin,
        of_wall_time: *metric == Metric::WallTime,
        waiting: waiting.unwrap_or_default(),
        places: &places,
        counts: &counts,
        call: call.as_deref(),
        calls_at_least: calls_at_least(&explanation.asked, mean(&base_runs)),
        simulated: explanation.simulated.as_ref().and_then(Simulated::of),
    });
    Ok(ExplanationConclusion {
        cause,
        cpu,
        wall,
        places,
        compared: held,
        counts,
        blocks: u32::try_from(blocks.len()).unwrap_or(u32::MAX),
        base_run_ms: mean(&base_runs) / 1e6,
        took_ms: blocks.iter().map(|block| block.took_ms).sum(),
    })
}

fn as_shipped(comparison: &Comparison) -> Option<Interval> {
    comparison.as_shipped.map(|shipped| shipped.interval)
}

/// Wall time of one run, in nanoseconds.
fn wall_of(runs: &SampledRuns) -> f64 {
    runs.wall_ns.max(1) as f64 / f64::from(runs.runs.max(1))
}

/// Wall time of a run that its CPU time does not fill; none where several cores work at once.
fn waited(runs: &SampledRuns) -> f64 {
    (wall_of(runs) - of_run(runs)).max(0.0)
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

/// The system call of which most more, or less, are made; none where they do not differ by more
/// than two runs of one build.
#[must_use]
pub fn call_that_differs(asked: &AskedOfSystem) -> Option<String> {
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
        let by = new[0].abs_diff(base[0]).min(new[1].abs_diff(base[1]));
        (by > 2 * noise).then_some(by)
    };
    let found = all.filter_map(|(call, _)| Some((more(call)?, call)));
    found.max().map(|(_, call)| call.clone())
}
