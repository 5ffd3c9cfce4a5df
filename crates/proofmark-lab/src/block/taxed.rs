//! The tax that the certificate's arm pays.

use std::time::Duration;

use proofmark_evidence::record::Experiment;
use proofmark_measure::{Tax, TaxedClock};
use proofmark_terms::Metric;

/// The tax of an experiment; `None` where its metric does not grow with one.
pub(crate) fn tax(experiment: &Experiment) -> Option<Tax> {
    let clock = match experiment.benchmark.metric {
        Metric::CpuTime => TaxedClock::Cpu,
        Metric::WallTime => TaxedClock::Wall,
        Metric::PeakMemory | Metric::Output { .. } => return None,
    };
    Tax::new(experiment.design.margin.relative(), clock)
}

/// CPU time that one run of the taxed base is expected to take, in nanoseconds.
pub(crate) fn taxed_ns(experiment: &Experiment, base_ns: u64) -> u64 {
    let tax = tax(experiment).filter(|tax| tax.clock() == TaxedClock::Cpu);
    let share = tax.map_or(0.0, Tax::share);
    let taxed = Duration::from_nanos(base_ns).mul_f64(1.0 + share.min(1.0));
    u64::try_from(taxed.as_nanos()).unwrap_or(u64::MAX)
}
