//! Whether the builds did the work at all: a program that gives up early is the fastest of all.

use proofmark_conclude::{SHORT_NS, warning};
use proofmark_evidence::record::{Comparison, Experiment, Instructions, Pilot, Warning};
use proofmark_terms::Metric;

use crate::output::Printed;

/// The code of the warning on which no gate passes without being told so.
pub const WORK_IN_DOUBT: &str = "work-in-doubt";

/// A build that takes less than this share of the other's time or instructions is asked what it has
/// to show for it.
const HARDLY_ANYTHING: f64 = 0.1;

/// What casts doubt on the work of the builds, all of which were compared with `base`.
pub(crate) fn doubts(
    experiment: &Experiment,
    pilot: &Pilot,
    (base, comparisons): (u32, &[Comparison]),
    printed: &Printed,
) -> Vec<Warning> {
    let mut all: Vec<Warning> = Vec::new();
    if !printed.same_output {
        let doubt = |comparison| left_out(experiment, pilot, (base, comparison), printed);
        all.extend(comparisons.iter().filter_map(doubt));
    }
    all.extend(only_an_error(pilot, printed));
    all
}

/// One build takes next to nothing, and no output shows that it did what the other did.
fn left_out(
    experiment: &Experiment,
    pilot: &Pilot,
    (base, comparison): (u32, &Comparison),
    printed: &Printed,
) -> Option<Warning> {
    let (what, ratio) = ratios(experiment, pilot, (base, comparison))
        .into_iter()
        .find(|(_, ratio)| !(HARDLY_ANYTHING..=1.0 / HARDLY_ANYTHING).contains(ratio))?;
    let name = |build: u32| {
        let build = experiment.builds.get(build as usize);
        build.map_or("?", |build| build.name.as_str())
    };
    let (new, base) = (name(comparison.build), name(base));
    let (less, more, share) = if ratio < 1.0 {
        (new, base, ratio)
    } else {
        (base, new, 1.0 / ratio)
    };
    let shown = if printed.silent {
        "nothing was printed that could show it"
    } else if printed.unheard {
        "what the runs printed before the interruption was not kept"
    } else {
        "outputs were not compared"
    };
    let said = printed.error.as_ref().map_or_else(String::new, |line| {
        format!("; on standard error stands {line}")
    });
    Some(warning(
        WORK_IN_DOUBT,
        format!(
            "did {less} do the work? It takes {:.1} % of the {what} of {more}, and {shown}{said}",
            share * 100.0
        ),
        "let the program print its result, which then shows it",
    ))
}

/// new ÷ base of all that tells how much was done.
fn ratios(
    experiment: &Experiment,
    pilot: &Pilot,
    (base, comparison): (u32, &Comparison),
) -> Vec<(&'static str, f64)> {
    let mut all = Vec::new();
    if matches!(
        experiment.benchmark.metric,
        Metric::CpuTime | Metric::WallTime
    ) {
        all.push(("time", comparison.interval.estimate.ratio()));
    }
    let of = |build: u32| pilot.cpu_ns.get(build as usize).filter(|&&ns| ns > 0);
    if let (Some(&base), Some(&new)) = (of(base), of(comparison.build)) {
        all.push(("CPU time", new as f64 / base as f64));
    }
    if let Instructions::Counted { base, new, .. } = comparison.instructions {
        all.push(("instructions", new.max(1) as f64 / base.max(1) as f64));
    }
    all
}

/// All that is printed is a line of error, and the runs end at once.
fn only_an_error(pilot: &Pilot, printed: &Printed) -> Option<Warning> {
    let shortest = pilot.cpu_ns.iter().copied().filter(|&ns| ns > 0).min()?;
    let line = printed.error.as_ref().filter(|_| printed.silent)?;
    (shortest < SHORT_NS).then(|| {
        warning(
            "only-an-error",
            format!(
                "is {line} an error? It is all that the builds print, and they end after {:.1} ms",
                shortest as f64 / 1e6
            ),
            "if it is one, mend the command: what is compared here is how fast the builds give up",
        )
    })
}
