//! How the figures of a run are read: what they are of, and which way is better.

use proofmark_evidence::record::{LedgerBenchmark, LedgerRun};
use proofmark_terms::{Better, Metric};

use super::rows::{Over, is_in_mean};
use crate::wording::{comparatives_of, metrics_in_full};

/// The metrics of the benchmarks that figures are over, in their order.
fn metrics(run: &LedgerRun, over: Over) -> Vec<&Metric> {
    let place = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
    let named = |one: &LedgerBenchmark| match over {
        Over::Suite | Over::Member(_) => true,
        Over::Group(at) => {
            let group = run.asked.groups.get(place(at));
            let mut names = group.into_iter().flat_map(|group| &group.benchmarks);
            names.any(|name| is_of(&one.name, name))
        }
    };
    let all = run.asked.benchmarks.iter().enumerate();
    let of = all.filter(|(at, one)| match over {
        Over::Member(member) => *at == place(member),
        Over::Suite => is_in_mean(run, one),
        Over::Group(_) => named(one),
    });
    of.map(|(_, one)| &one.metric).collect()
}

/// Whether a benchmark, perhaps with its size, is that of a name.
fn is_of(benchmark: &str, name: &str) -> bool {
    let behind = benchmark.strip_prefix(name);
    behind.is_some_and(|behind| behind.is_empty() || behind.starts_with(' '))
}

fn better_of(metric: &Metric) -> Better {
    match metric.higher_is_better() {
        true => Better::Higher,
        false => Better::Lower,
    }
}

/// Which way is better: that of the first benchmark.
pub(crate) fn better(run: &LedgerRun, over: Over) -> Better {
    let metrics = metrics(run, over);
    metrics.first().map_or(Better::Lower, |one| better_of(one))
}

/// The words for better and worse: those of the metric, where it is one.
pub(crate) fn words(run: &LedgerRun, over: Over) -> [&'static str; 2] {
    comparatives_of(metrics(run, over).into_iter())
}

/// What is below and what is above 0, in words.
pub(crate) fn ways(run: &LedgerRun, over: Over) -> [&'static str; 2] {
    let [improved, worsened] = words(run, over);
    match better(run, over) {
        Better::Lower => [improved, worsened],
        Better::Higher => [worsened, improved],
    }
}

/// Where better is, said in a row: `below 0`.
pub(crate) fn side(run: &LedgerRun, over: Over) -> &'static str {
    match better(run, over) {
        Better::Lower => "below 0",
        Better::Higher => "above 0",
    }
}

/// `lower` or `higher`, as programs read it.
pub(crate) fn word(run: &LedgerRun, over: Over) -> &'static str {
    match better(run, over) {
        Better::Lower => "lower",
        Better::Higher => "higher",
    }
}

/// Whether less is better of one benchmark and more of another.
pub(crate) fn is_mixed(run: &LedgerRun) -> bool {
    let all = metrics(run, Over::Suite);
    let first = better(run, Over::Suite);
    all.into_iter().any(|metric| better_of(metric) != first)
}

/// What the figures are of. `each` says that those of groups and benchmarks are shown too.
pub(crate) fn said(run: &LedgerRun, each: bool) -> String {
    let [less, more] = ways(run, Over::Suite);
    let named = metrics_in_full(metrics(run, Over::Suite).into_iter());
    if !is_mixed(run) {
        return format!("change in per cent ({named}): below 0 is {less}, above {more}");
    }
    let rows = if each {
        "; of a group or a benchmark, its row says where better is"
    } else {
        ""
    };
    format!(
        "change in per cent ({named}): of the mean over all, below 0 is {less}, above {more}; in a \
         mean, a benchmark that is not the way round of the first counts by its inverse{rows}"
    )
}

#[cfg(test)]
mod tests {
    use proofmark_evidence::record::{LedgerAsked, LedgerGroup};

    use super::*;

    fn points(higher_is_better: bool) -> Metric {
        Metric::Output {
            pattern: "([0-9.]+)".to_owned(),
            unit: "points".to_owned(),
            higher_is_better,
        }
    }

    /// A run of these benchmarks, the last two of which are a group.
    fn run(metrics: &[(&str, Metric)]) -> LedgerRun {
        let benchmark = |(name, metric): &(&str, Metric)| LedgerBenchmark {
            name: (*name).to_owned(),
            metric: metric.clone(),
            guard: None,
        };
        let names = metrics.iter().map(|(name, _)| (*name).to_owned()).skip(1);
        let group = LedgerGroup {
            name: "last".to_owned(),
            // Without their sizes.
            benchmarks: names.map(|name| name.replace(" N=1", "")).collect(),
        };
        LedgerRun {
            matrix: serde_json::from_value(serde_json::json!("0".repeat(64))).unwrap(),
            asked: LedgerAsked {
                builds: Vec::new(),
                benchmarks: metrics.iter().map(benchmark).collect(),
                groups: vec![group],
                ideas: Vec::new(),
                stacks: Vec::new(),
            },
            confidence: 0.95,
            figures: Vec::new(),
            guards: Vec::new(),
            out: Vec::new(),
            tests: Vec::new(),
            warnings: Vec::new(),
        }
    }

    #[test]
    fn a_row_says_where_better_is_by_its_own_benchmarks() {
        let mixed = run(&[
            ("v", points(false)),
            ("r N=1", points(true)),
            ("rr", points(false)),
        ]);
        assert!(is_mixed(&mixed));
        let sides = [
            (Over::Suite, "below 0"),
            (Over::Group(0), "above 0"),
            (Over::Member(0), "below 0"),
            (Over::Member(1), "above 0"),
            (Over::Member(2), "below 0"),
        ];
        for (over, expected) in sides {
            assert_eq!(side(&mixed, over), expected, "{over:?}");
        }
        let text = said(&mixed, true);
        let parts = [
            "lower is better; points as printed, higher",
            "below 0 is better, above worse",
        ];
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
        assert!(text.contains("its row says") && !said(&mixed, false).contains("its row"));
    }

    #[test]
    fn what_all_benchmarks_share_is_said_in_their_words() {
        let alike = run(&[("v", points(true)), ("r", points(true))]);
        assert_eq!(
            said(&alike, true),
            "change in per cent (points as printed, higher is better): below 0 is lower (worse), \
             above higher (better)"
        );
        let two = run(&[("v", Metric::CpuTime), ("r", Metric::PeakMemory)]);
        assert_eq!(
            said(&two, true),
            "change in per cent (CPU time; peak memory): below 0 is better, above worse"
        );
        assert_eq!(ways(&two, Over::Member(1)), ["smaller", "larger"]);
    }
}
