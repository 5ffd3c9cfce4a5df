//! Whether the builds did the work at all: a program that gives up early is the fastest of all.

use proofmark_conclude::SHORT_NS;
use proofmark_evidence::record::{
    Comparison, Experiment, Instructions, OnlyAnError, Pilot, Unshown, Warning, Work, WorkInDoubt,
};
use proofmark_terms::{BuildIndex, Metric};

use crate::output::Printed;

/// A build that takes less than this share of the other's time or instructions is asked what it has
/// to show for it.
const HARDLY_ANYTHING: f64 = 0.1;

/// What builds came to that were compared with one of them.
pub(crate) struct Compared<'a> {
    pub(crate) experiment: &'a Experiment,
    pub(crate) pilot: &'a Pilot,
    /// Index of the build that the others were compared with.
    pub(crate) base: BuildIndex,
    pub(crate) comparisons: &'a [Comparison],
    /// The benchmark, where there are several.
    pub(crate) benchmark: Option<&'a str>,
    /// What the runs have shown of their work.
    pub(crate) printed: &'a Printed,
}

impl Compared<'_> {
    /// What casts doubt on their work.
    pub(crate) fn doubts(&self) -> Vec<Warning> {
        let mut all: Vec<Warning> = Vec::new();
        if !self.printed.same_output {
            let doubt = |comparison| self.left_out(comparison);
            all.extend(self.comparisons.iter().filter_map(doubt));
        }
        all.extend(self.only_an_error());
        all
    }

    /// One build takes next to nothing, and no output shows that it did what the other did.
    fn left_out(&self, comparison: &Comparison) -> Option<Warning> {
        let (of, ratio) = self
            .ratios(comparison)
            .into_iter()
            .find(|(_, ratio)| !(HARDLY_ANYTHING..=1.0 / HARDLY_ANYTHING).contains(ratio))?;
        let name = |build: BuildIndex| {
            let build = build.of(&self.experiment.builds);
            build.map_or("?", |build| build.name.as_str())
        };
        let (new, base) = (name(comparison.build), name(self.base));
        let (build, beside, share) = if ratio < 1.0 {
            (new, base, ratio)
        } else {
            (base, new, 1.0 / ratio)
        };
        let unshown = if self.printed.silent {
            Unshown::Silent
        } else if self.printed.unheard {
            Unshown::NotKept
        } else {
            Unshown::NotCompared
        };
        Some(Warning::WorkInDoubt(WorkInDoubt {
            benchmark: self.benchmark.map(str::to_owned),
            build: build.to_owned(),
            beside: beside.to_owned(),
            of,
            share,
            unshown,
            error: self.printed.error.clone(),
        }))
    }

    /// new ÷ base of all that tells how much was done.
    fn ratios(&self, comparison: &Comparison) -> Vec<(Work, f64)> {
        let mut all = Vec::new();
        if matches!(
            self.experiment.benchmark.metric,
            Metric::CpuTime | Metric::WallTime
        ) {
            all.push((Work::Time, comparison.interval.estimate.ratio()));
        }
        let of = |build: BuildIndex| {
            let cpu_ns = build.of(&self.pilot.cpu_ns);
            cpu_ns.filter(|&&ns| ns > 0)
        };
        if let (Some(&base), Some(&new)) = (of(self.base), of(comparison.build)) {
            all.push((Work::CpuTime, new as f64 / base as f64));
        }
        if let Instructions::Counted { base, new, .. } = comparison.instructions {
            all.push((Work::Instructions, new.max(1) as f64 / base.max(1) as f64));
        }
        all
    }

    /// All that is printed is a line of error, and the runs end at once.
    fn only_an_error(&self) -> Option<Warning> {
        let times = self.pilot.cpu_ns.iter().copied();
        let shortest = times.filter(|&ns| ns > 0).min()?;
        let line = self
            .printed
            .error
            .as_ref()
            .filter(|_| self.printed.silent)?;
        (shortest < SHORT_NS).then(|| {
            Warning::OnlyAnError(OnlyAnError {
                benchmark: self.benchmark.map(str::to_owned),
                line: line.clone(),
                cpu_ns: shortest,
            })
        })
    }
}
