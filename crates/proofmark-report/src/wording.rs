//! What a verdict is called (time is faster, memory is smaller, and a metric of the user's own is
//! higher or lower), and a way of drawing layouts.

use proofmark_evidence::record::Drawing;
use proofmark_stats::{Interval, Margin, Verdict};
use proofmark_terms::Metric;

use crate::number::{change, decimals, setting};
use crate::style::Tone;
use crate::text::{TIE, printable};

/// Units of time in which programs report themselves.
const TIMES: [&str; 9] = ["s", "sec", "secs", "seconds", "ms", "us", "µs", "ns", "min"];

/// Units of size.
const SIZES: [&str; 8] = ["B", "bytes", "kB", "KB", "KiB", "MB", "MiB", "GiB"];

/// `matched`, `jittered`, `inside` or `independent`.
pub(crate) const fn drawing_name(how: &Drawing) -> &'static str {
    match how {
        Drawing::Matched => "matched",
        Drawing::Jittered => "jittered",
        Drawing::Inside => "inside",
        Drawing::Independent { .. } => "independent",
    }
}

/// Why layouts are not matched.
pub(crate) fn drawing_reason(how: &Drawing) -> Option<&str> {
    match how {
        Drawing::Matched | Drawing::Jittered | Drawing::Inside => None,
        Drawing::Independent { reason } => Some(reason),
    }
}

/// The word for a change for the better and for one for the worse.
pub(crate) fn comparatives(metric: &Metric) -> [&'static str; 2] {
    match metric {
        Metric::PeakMemory => ["smaller", "larger"],
        Metric::Output {
            unit,
            higher_is_better,
            ..
        } => match (unit.trim(), higher_is_better) {
            (unit, true) if unit.ends_with("/s") || unit.ends_with("/sec") => ["faster", "slower"],
            (unit, false) if TIMES.contains(&unit) => ["faster", "slower"],
            (unit, false) if SIZES.contains(&unit) => ["smaller", "larger"],
            (_, true) => ["higher (better)", "lower (worse)"],
            (_, false) => ["lower (better)", "higher (worse)"],
        },
        _ => ["faster", "slower"],
    }
}

/// The metric in full: `CPU time`.
pub(crate) fn metric_in_full(metric: &Metric) -> String {
    match metric {
        Metric::CpuTime => "CPU time".to_owned(),
        Metric::WallTime => "wall time".to_owned(),
        Metric::PeakMemory => "peak memory".to_owned(),
        Metric::Output {
            unit,
            higher_is_better,
            ..
        } => {
            let direction = if *higher_is_better { "higher" } else { "lower" };
            format!("{} as printed, {direction} is better", printable(unit))
        }
    }
}

/// The metrics of several benchmarks in full, each once.
pub(crate) fn metrics_in_full<'a>(metrics: impl Iterator<Item = &'a Metric>) -> String {
    let mut named: Vec<String> = Vec::new();
    for name in metrics.map(metric_in_full) {
        if !named.contains(&name) {
            named.push(name);
        }
    }
    named.join("; ")
}

/// The words for a change of several benchmarks for the better and for the worse: those of their
/// metric, where it is one.
pub(crate) fn comparatives_of<'a>(metrics: impl Iterator<Item = &'a Metric>) -> [&'static str; 2] {
    let mut each = metrics.map(comparatives);
    let first = each.next().unwrap_or(["faster", "slower"]);
    match each.all(|other| other == first) {
        true => first,
        false => ["better", "worse"],
    }
}

/// In which words a change is said, and which way round it counts.
#[derive(Clone, Copy)]
pub(crate) struct Wording {
    /// For the better, and for the worse.
    pub(crate) words: [&'static str; 2],
    pub(crate) higher_is_better: bool,
}

impl Wording {
    /// Of one metric.
    pub(crate) fn of(metric: &Metric) -> Self {
        Wording::of_all([metric].into_iter())
    }

    /// Of a mean over several: it counts as the first of them.
    pub(crate) fn of_all<'a>(metrics: impl Iterator<Item = &'a Metric>) -> Self {
        let mut metrics = metrics.peekable();
        let first = metrics.peek();
        Wording {
            higher_is_better: first.is_some_and(|metric| metric.higher_is_better()),
            words: comparatives_of(metrics),
        }
    }
}

/// The unit of a metric's raw values.
pub(crate) fn unit(metric: &Metric) -> &str {
    match metric {
        Metric::CpuTime | Metric::WallTime => "ns",
        Metric::PeakMemory => "bytes",
        Metric::Output { unit, .. } => unit,
    }
}

/// The metric as it heads a figure: `time`.
pub(crate) fn metric_name(metric: &Metric) -> String {
    match metric.name().trim() {
        "" => "metric".to_owned(),
        name => printable(name),
    }
}

/// What was found, to be read after its interval.
pub(crate) struct Said {
    /// Such as `3.3 % faster`; to be preceded by "new is" where there is room.
    pub(crate) short: String,
    /// Such as `new is 3.3 % faster`.
    pub(crate) long: String,
    pub(crate) tone: Tone,
}

/// Names of the two builds that are compared.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'a> {
    pub(crate) new: &'a str,
    pub(crate) base: &'a str,
}

/// What a verdict says in words. `needed` is for the undecided: the blocks that it would take.
pub(crate) fn say(
    verdict: Verdict,
    interval: &Interval,
    metric: &Metric,
    margin: Margin,
    needed: Option<u32>,
    Pair { new, base }: Pair<'_>,
) -> Said {
    let [improved, worsened] = comparatives(metric);
    let size = change(interval.estimate, decimals(interval));
    let within = format!("within ±{}", setting(margin.relative()));
    let is = |short: String, tone| Said {
        long: format!("{new} is {short}"),
        short,
        tone,
    };
    match verdict {
        Verdict::Faster => is(format!("{size} {improved}"), Tone::Better),
        Verdict::Slower => is(format!("{size} {worsened}"), Tone::Worse),
        Verdict::FasterButNegligible => is(
            format!("{size} {improved} but negligible: {within}"),
            Tone::Even,
        ),
        Verdict::SlowerButNegligible => is(
            format!("{size} {worsened} but negligible: {within}"),
            Tone::Even,
        ),
        Verdict::Equivalent => Said {
            short: format!("equivalent: {within}"),
            long: format!("{new} is equivalent to {base}: {within}"),
            tone: Tone::Even,
        },
        Verdict::Undecided => {
            let more = needed.map_or_else(
                || "nobody can say how many blocks a verdict would take".to_owned(),
                |blocks| format!("a verdict would take about {blocks}{TIE}blocks"),
            );
            let short = format!("undecided: {more}");
            Said {
                long: short.clone(),
                short,
                tone: Tone::Open,
            }
        }
    }
}

/// What a verdict is: for the better, for the worse, no change, or not known.
pub(crate) const fn say_tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Faster => Tone::Better,
        Verdict::Slower => Tone::Worse,
        Verdict::FasterButNegligible | Verdict::SlowerButNegligible | Verdict::Equivalent => {
            Tone::Even
        }
        Verdict::Undecided => Tone::Open,
    }
}

/// `new/base`; with spaces round the slash where a name has one itself, as paths do.
pub(crate) fn ratio_of(new: &str, base: &str) -> String {
    if new.contains('/') || base.contains('/') {
        format!("{new} / {base}")
    } else {
        format!("{new}/{base}")
    }
}

#[cfg(test)]
mod tests {
    use proofmark_stats::Effect;

    use super::*;
    use crate::text::untied;

    fn output(unit: &str, higher_is_better: bool) -> Metric {
        Metric::Output {
            pattern: "(.*)".to_owned(),
            unit: unit.to_owned(),
            higher_is_better,
        }
    }

    fn said(metric: &Metric, verdict: Verdict, ratio: f64) -> String {
        let around = |by: f64| Effect::from_ratio(ratio * by);
        let interval = Interval {
            estimate: around(1.0),
            low: around(0.996),
            high: around(1.004),
        };
        let margin = Margin::from_relative(0.01).unwrap();
        untied(
            &say(
                verdict,
                &interval,
                metric,
                margin,
                Some(41),
                Pair {
                    new: "new",
                    base: "base",
                },
            )
            .long,
        )
    }

    #[test]
    fn each_metric_has_its_own_words() {
        assert_eq!(
            said(&Metric::CpuTime, Verdict::Faster, 0.967),
            "new is 3.3 % faster"
        );
        assert_eq!(
            said(&Metric::WallTime, Verdict::Slower, 1.05),
            "new is 5.0 % slower"
        );
        assert_eq!(
            said(&Metric::PeakMemory, Verdict::Slower, 1.05),
            "new is 5.0 % larger"
        );
        assert_eq!(
            said(&output("ops/s", true), Verdict::Faster, 1.034),
            "new is 3.4 % faster"
        );
        assert_eq!(
            said(&output("ms", false), Verdict::Faster, 0.9),
            "new is 10.0 % faster"
        );
        assert_eq!(
            said(&output("KiB", false), Verdict::Faster, 0.9),
            "new is 10.0 % smaller"
        );
        assert_eq!(
            said(&output("score", true), Verdict::Slower, 0.9),
            "new is 10.0 % lower (worse)"
        );
        assert_eq!(
            said(&output("misses", false), Verdict::Slower, 1.1),
            "new is 10.0 % higher (worse)"
        );
    }

    #[test]
    fn what_is_not_significant_is_never_called_the_same() {
        assert_eq!(
            said(&Metric::CpuTime, Verdict::Equivalent, 1.001),
            "new is equivalent to base: within ±1 %"
        );
        assert_eq!(
            said(&Metric::CpuTime, Verdict::FasterButNegligible, 0.9952),
            "new is 0.5 % faster but negligible: within ±1 %"
        );
        assert_eq!(
            said(&Metric::CpuTime, Verdict::Undecided, 1.01),
            "undecided: a verdict would take about 41 blocks"
        );
    }
}
