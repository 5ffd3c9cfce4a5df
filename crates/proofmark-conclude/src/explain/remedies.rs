//! Which of several remedies is worth to be measured afresh.

use proofmark_evidence::Recorded;
use proofmark_terms::{Better, BuildIndex, Interval, Margin};

use crate::better;

/// Of the builds of a comparison that are held against the build as it was, the one whose image as
/// shipped takes least time, where that is less time at all: its interval lies below 1, and its
/// estimate beyond the margin. The intervals of all builds hold together. Chosen among several, it
/// seems better than it is: that is why it is measured afresh.
#[must_use]
pub fn best_remedy(recorded: &Recorded) -> Option<BuildIndex> {
    let experiment = &recorded.experiment;
    let in_time = |interval: Interval| match better(&experiment.benchmark.metric) {
        Better::Lower => interval,
        Better::Higher => interval.inverted(),
    };
    let comparisons = &recorded.conclusion.as_ref()?.comparisons;
    let shipped = comparisons.iter().filter_map(|one| {
        let shipped = one.as_shipped?;
        Some((one.build, in_time(shipped.interval)))
    });
    best(shipped, experiment.design.margin)
}

fn best(
    shipped: impl Iterator<Item = (BuildIndex, Interval)>,
    margin: Margin,
) -> Option<BuildIndex> {
    let helps = |(_, interval): &(BuildIndex, Interval)| {
        interval.high.ln() < 0.0 && interval.estimate.ln() < -margin.ln()
    };
    let least = shipped
        .filter(helps)
        .min_by(|a, b| a.1.estimate.ln().total_cmp(&b.1.estimate.ln()));
    least.map(|(build, _)| build)
}

#[cfg(test)]
mod tests {
    use proofmark_terms::Effect;

    use super::*;

    fn found(shipped: &[(f64, f64, f64)]) -> Option<BuildIndex> {
        let interval = |&(low, estimate, high): &(f64, f64, f64)| Interval {
            estimate: Effect::from_ratio(estimate),
            low: Effect::from_ratio(low),
            high: Effect::from_ratio(high),
        };
        let builds = (1..).map(BuildIndex).zip(shipped.iter().map(interval));
        best(builds, Margin::default())
    }

    #[test]
    fn the_fastest_of_those_that_are_faster_for_certain_is_measured_afresh() {
        assert_eq!(
            found(&[(0.8, 0.9, 0.95), (0.5, 0.6, 0.7), (0.4, 0.55, 1.01)]),
            Some(BuildIndex(2))
        );
    }

    #[test]
    fn where_nothing_helps_nothing_is() {
        // Slower, undecided, and faster by less than the margin.
        let none = [(1.1, 1.2, 1.3), (0.7, 0.9, 1.05), (0.993, 0.995, 0.997)];
        assert_eq!(found(&none), None);
        assert_eq!(found(&[]), None);
    }
}
