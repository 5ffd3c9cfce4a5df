//! Whether the builds did the work at all: a program that gives up early is the fastest of all.

use proofmark_conclude::SHORT_NS;
use proofmark_evidence::record::{
    Comparison, Experiment, Instructions, Pilot, Unshown, Warning, Work,
};
use proofmark_terms::Metric;

use crate::output::Printed;

/// A build that takes less than this share of the other's time or instructions is asked what it has
/// to show for it.
const HARDLY_ANYTHING: f64 = 0.1;

/// What casts doubt on the work of the builds, all of which were compared with `base`, on a benchmark
/// that is named where there are several.
pub(crate) fn doubts(
    experiment: &Experiment,
    pilot: &Pilot,
    (base, comparisons): (u32, &[Comparison]),
    (benchmark, printed): (Option<&str>, &Printed),
) -> Vec<Warning> {
    let mut all: Vec<Warning> = Vec::new();
    if !printed.same_output {
        let doubt =
            |comparison| left_out(experiment, pilot, (base, comparison), (benchmark, printed));
        all.extend(comparisons.iter().filter_map(doubt));
    }
    all.extend(only_an_error(pilot, (benchmark, printed)));
    all
}

/// One build takes next to nothing, and no output shows that it did what the other did.
fn left_out(
    experiment: &Experiment,
    pilot: &Pilot,
    (base, comparison): (u32, &Comparison),
    (benchmark, printed): (Option<&str>, &Printed),
) -> Option<Warning> {
    let (of, ratio) = ratios(experiment, pilot, (base, comparison))
        .into_iter()
        .find(|(_, ratio)| !(HARDLY_ANYTHING..=1.0 / HARDLY_ANYTHING).contains(ratio))?;
    let name = |build: u32| {
        let build = experiment.builds.get(build as usize);
        build.map_or("?", |build| build.name.as_str())
    };
    let (new, base) = (name(comparison.build), name(base));
    let (build, beside, share) = if ratio < 1.0 {
        (new, base, ratio)
    } else {
        (base, new, 1.0 / ratio)
    };
    let unshown = if printed.silent {
        Unshown::Silent
    } else if printed.unheard {
        Unshown::NotKept
    } else {
        Unshown::NotCompared
    };
    Some(Warning::WorkInDoubt {
        benchmark: benchmark.map(str::to_owned),
        build: build.to_owned(),
        beside: beside.to_owned(),
        of,
        share,
        unshown,
        error: printed.error.clone(),
    })
}

/// new ÷ base of all that tells how much was done.
fn ratios(
    experiment: &Experiment,
    pilot: &Pilot,
    (base, comparison): (u32, &Comparison),
) -> Vec<(Work, f64)> {
    let mut all = Vec::new();
    if matches!(
        experiment.benchmark.metric,
        Metric::CpuTime | Metric::WallTime
    ) {
        all.push((Work::Time, comparison.interval.estimate.ratio()));
    }
    let of = |build: u32| pilot.cpu_ns.get(build as usize).filter(|&&ns| ns > 0);
    if let (Some(&base), Some(&new)) = (of(base), of(comparison.build)) {
        all.push((Work::CpuTime, new as f64 / base as f64));
    }
    if let Instructions::Counted { base, new, .. } = comparison.instructions {
        all.push((Work::Instructions, new.max(1) as f64 / base.max(1) as f64));
    }
    all
}

/// All that is printed is a line of error, and the runs end at once.
fn only_an_error(pilot: &Pilot, (benchmark, printed): (Option<&str>, &Printed)) -> Option<Warning> {
    let shortest = pilot.cpu_ns.iter().copied().filter(|&ns| ns > 0).min()?;
    let line = printed.error.as_ref().filter(|_| printed.silent)?;
    (shortest < SHORT_NS).then(|| Warning::OnlyAnError {
        benchmark: benchmark.map(str::to_owned),
        line: line.clone(),
        cpu_ns: shortest,
    })
}
