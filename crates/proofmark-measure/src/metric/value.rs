//! The number that a run yields.

use proofmark_terms::Metric;

use std::collections::BTreeSet;

use super::{LARGEST, MetricError, SMALLEST, expression, heading, number, scale, unit};
use crate::{Accounted, Outcome, Output, Peak};

/// How much of an output is shown when nothing in it matches.
const SHOWN: usize = 200;

/// The metric of a run: nanoseconds, bytes, or the unit of the program's own output, from 1e-50 to
/// 1e50. Of several matches in the output the last one counts: programs report progress
/// first and the result after.
///
/// # Errors
/// When the output has no match, the match is no number or only a part of one, the number is not
/// above zero or out of range, more was printed than is kept, or peak memory is below what can be
/// told, or of a process that nobody is told of.
pub fn value(metric: &Metric, outcome: &Outcome) -> Result<f64, MetricError> {
    let found = match metric {
        Metric::CpuTime => match outcome.accounted {
            Accounted::Short(why) => return Err(MetricError::CpuUnknown(why)),
            Accounted::Group | Accounted::Waited | Accounted::TaskClock => nanoseconds(outcome.cpu),
        },
        Metric::WallTime => nanoseconds(outcome.wall),
        Metric::PeakMemory => match outcome.peak {
            Peak::Bytes(bytes) => exact(bytes),
            Peak::AtMost(floor) => return Err(MetricError::BelowFloor { floor }),
            Peak::AtLeast(_) => return Err(MetricError::PeakUnknown),
        },
        Metric::Output { pattern, .. } => number_in(pattern, &outcome.stdout)?.value,
    };
    if !(found.is_finite() && found > 0.0) {
        return Err(MetricError::NotPositive {
            found: found.to_string(),
        });
    }
    if !(SMALLEST..=LARGEST).contains(&found) {
        return Err(MetricError::OutOfRange {
            found: format!("{found:e}"),
        });
    }
    Ok(found)
}

fn nanoseconds(time: std::time::Duration) -> f64 {
    exact(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "exact up to 2^53: 104 days in nanoseconds, 8 PiB"
)]
fn exact(number: u64) -> f64 {
    number as f64
}

/// A number as a program printed it.
#[derive(Clone, Debug, PartialEq)]
pub struct PrintedNumber {
    /// In whatever unit it was printed.
    pub value: f64,
    /// As it stands in the output, without its unit.
    pub text: String,
    /// What stands behind it, where that looks like a unit or a prefix of one.
    pub unit: Option<String>,
    /// The words before it and behind it.
    words: [Option<String>; 2],
    /// Units that the whole output names apart from its numbers.
    named: BTreeSet<String>,
}

impl PrintedNumber {
    /// Refuses another run's number that stands before another unit.
    ///
    /// # Errors
    /// The units differ, or one of the two has none.
    pub fn same_unit(&self, later: &PrintedNumber) -> Result<(), MetricError> {
        let refused = |found: String, first: String| Err(MetricError::AnotherUnit { found, first });
        let in_two_sizes = |at: usize| {
            let (first, later) = (self.words[at].as_ref()?, later.words[at].as_ref()?);
            scale::differ(first, later).then_some([first, later])
        };
        if let Some([first, word]) = in_two_sizes(0) {
            return refused(
                format!("{word} {}", later.text),
                format!("{first} {}", self.text),
            );
        }
        if let Some([first, word]) = in_two_sizes(1) {
            return refused(
                format!("{} {word}", later.text),
                format!("{} {first}", self.text),
            );
        }
        if let Some((first, found)) = heading::two_sizes(&self.named, &later.named) {
            return Err(MetricError::NamedUnit {
                found: found.to_owned(),
                first: first.to_owned(),
            });
        }
        if self.unit == later.unit {
            return Ok(());
        }
        let with_unit = |number: &PrintedNumber| match &number.unit {
            Some(unit) => format!("{} {unit}", number.text),
            None => number.text.clone(),
        };
        refused(with_unit(later), with_unit(self))
    }
}

/// The number that a run printed, where the metric is one of its output.
///
/// # Errors
/// As [`value`], when there is none.
pub fn printed(metric: &Metric, output: &Output) -> Result<Option<PrintedNumber>, MetricError> {
    match metric {
        Metric::Output { pattern, .. } => {
            let found = number_in(pattern, output)?;
            let named = heading::units(&output.text());
            Ok(Some(PrintedNumber { named, ..found }))
        }
        Metric::CpuTime | Metric::WallTime | Metric::PeakMemory => Ok(None),
    }
}

fn number_in(pattern: &str, output: &Output) -> Result<PrintedNumber, MetricError> {
    let Output { length, kept, .. } = output;
    if *length > kept.len() as u64 {
        return Err(MetricError::TooLong {
            length: *length,
            kept: kept.len(),
        });
    }
    number_of(pattern, &output.text())
}

fn number_of(pattern: &str, text: &str) -> Result<PrintedNumber, MetricError> {
    let expression = expression(pattern)?;
    let group = expression
        .captures_iter(text)
        .last()
        .and_then(|captures| captures.get(1));
    let Some(group) = group else {
        let start: String = text.chars().take(SHOWN).collect();
        return Err(MetricError::NoMatch {
            pattern: pattern.to_owned(),
            start: format!("{start:?}"),
        });
    };
    let found = group.as_str().trim();
    let start = group.end() - group.as_str().trim_start().len();
    if number::is_error(text.get(..start).unwrap_or_default(), pattern) {
        return Err(MetricError::ErrorOfANumber {
            found: found.to_owned(),
            pattern: pattern.to_owned(),
        });
    }
    if let Some(sign) = number::bound(text.get(..start).unwrap_or_default(), pattern) {
        return Err(MetricError::BoundOfANumber {
            found: found.to_owned(),
            pattern: pattern.to_owned(),
            sign,
        });
    }
    let value = found.parse().map_err(|_| MetricError::NotANumber {
        found: found.to_owned(),
        pattern: pattern.to_owned(),
    })?;
    let place = start..start + found.len();
    let after = text.get(place.end..).unwrap_or_default();
    let unit = unit::behind(after).map(str::to_owned);
    let words = unit::words(text.get(..place.start).unwrap_or_default(), after);
    match number::whole(text, place, number::Spelt::of(pattern)) {
        None => Ok(PrintedNumber {
            value,
            text: found.to_owned(),
            unit,
            words,
            named: BTreeSet::new(),
        }),
        Some(whole) => Err(MetricError::PartOfANumber {
            found: found.to_owned(),
            pattern: pattern.to_owned(),
            whole,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{End, Short};
    use std::time::Duration;

    fn outcome(stdout: &str) -> Outcome {
        let output = |text: &str| Output {
            digest: blake3::hash(b""),
            length: text.len() as u64,
            kept: text.into(),
        };
        Outcome {
            end: End::Exited(0),
            cpu: Duration::from_micros(1500),
            accounted: Accounted::Waited,
            waits: 0,
            wall: Duration::from_nanos(1_700_001),
            tax: None,
            peak: Peak::Bytes(4096),
            stdout: output(stdout),
            stderr: output(""),
            children_left: 0,
        }
    }

    fn of(pattern: &str, stdout: &str) -> Result<f64, MetricError> {
        let metric = Metric::Output {
            pattern: pattern.into(),
            unit: "x".into(),
            higher_is_better: true,
        };
        value(&metric, &outcome(stdout))
    }

    #[test]
    fn the_instruments_own() {
        let outcome = outcome("");
        assert_eq!(value(&Metric::CpuTime, &outcome), Ok(1_500_000.0));
        assert_eq!(value(&Metric::WallTime, &outcome), Ok(1_700_001.0));
        assert_eq!(value(&Metric::PeakMemory, &outcome), Ok(4096.0));
    }

    #[test]
    fn cpu_time_that_nobody_has_all_of_is_none() {
        let short = Outcome {
            accounted: Accounted::Short(Short::Stray),
            ..outcome("")
        };
        assert_eq!(
            value(&Metric::CpuTime, &short),
            Err(MetricError::CpuUnknown(Short::Stray))
        );
        assert!(value(&Metric::WallTime, &short).is_ok());
    }

    #[test]
    fn the_last_match_counts() {
        assert_eq!(
            of("ops/s: ([0-9.]+)", "warm ops/s: 10\nfinal ops/s: 1234.5\n"),
            Ok(1234.5)
        );
        assert_eq!(of("^rate ([0-9.e+]+)$", "a\nrate 1e+3\nb"), Ok(1000.0));
    }

    #[test]
    fn a_part_of_a_number_is_refused() {
        for text in [
            "time: 1.1e+06",
            "time: 1,234",
            "time: 5_000 s",
            "time: 1m2.5s",
            "time: 1:05.2",
            "time: 2 min 3 s",
            "time: 1d 1.00",
            "time: 0x1f",
        ] {
            assert!(
                matches!(
                    of("time: ([0-9.]+)", text),
                    Err(MetricError::PartOfANumber { .. })
                ),
                "{text}"
            );
        }
        let mean = "mean 3.1 ms ± 0.4 ms";
        assert!(matches!(
            of("([0-9.]+) ms", mean),
            Err(MetricError::ErrorOfANumber { .. })
        ));
        assert_eq!(of("mean ([0-9.]+) ms", mean), Ok(3.1));
        let bound = of("time *([0-9.]+) ms", "time <0.01 ms");
        assert!(matches!(bound, Err(MetricError::NoMatch { .. })));
        let bound = of("([0-9.]+) ms", "time <0.01 ms");
        assert!(matches!(
            bound,
            Err(MetricError::BoundOfANumber { sign: '<', .. })
        ));
        assert_eq!(of("time<([0-9.]+)", "time<1 ms"), Ok(1.0));
        assert_eq!(of("time: ([0-9.eE+-]+)", "time: 1.1e+06 s"), Ok(1.1e6));
        assert_eq!(of("^time,([0-9]+),", "time,12,345"), Ok(12.0));
        assert_eq!(of("time:(.*)s", "time: 5 s"), Ok(5.0));
    }

    #[test]
    fn a_number_in_another_unit_is_no_other_number() {
        let number = |text: &str| number_of("took ([0-9.]+)", text).unwrap();
        let first = number("took 985 us\n");
        assert_eq!(first.same_unit(&number("took 1.2 us, done")), Ok(()));
        let refused = first.same_unit(&number("took 1.10 ms")).unwrap_err();
        let said = refused.to_string();
        assert!(
            said.contains("`1.10 ms`") && said.contains("`985 us`"),
            "{said}"
        );
        assert!(number("took 900").same_unit(&number("took 1.2k")).is_err());
        let rate = |text: &str| number_of("([0-9.]+) [KM]elem", text).unwrap();
        assert!(rate("985 Kelem/s").same_unit(&rate("1.1 Melem/s")).is_err());
        assert_eq!(rate("985 Kelem/s").same_unit(&rate("986 Kelem/s")), Ok(()));
        let named = |text: &str| number_of("[mu]s.*?([0-9.]+)", text).unwrap();
        for [first, later] in [
            ["time (us): 985", "time (ms): 1.1"],
            ["elapsed_us=985", "elapsed_ms=1.1"],
        ] {
            let refused = named(first).same_unit(&named(later)).unwrap_err();
            let said = refused.to_string();
            assert!(
                said.contains("`ms 1.1`") && said.contains("`us 985`"),
                "{said}"
            );
        }
        let printed = |text: &str| {
            let metric = Metric::Output {
                pattern: "^a +([0-9.]+)".to_owned(),
                unit: "x".to_owned(),
                higher_is_better: false,
            };
            printed(&metric, &outcome(text).stdout).unwrap().unwrap()
        };
        let heading = printed("name  time (ms)\na     1500\n");
        let other = heading.same_unit(&printed("name  time (s)\na     1.5\n"));
        let said = other.unwrap_err().to_string();
        assert!(said.contains("`s`") && said.contains("`ms`"), "{said}");
        let same = printed("name  time (ms)\na     900\nb     3 s\n");
        assert_eq!(heading.same_unit(&same), Ok(()));
        let words = number("took 900 for a").same_unit(&number("took 901 in all"));
        assert_eq!(words, Ok(()), "what is no unit may differ");
    }

    #[test]
    fn an_output_of_which_not_all_is_kept_yields_no_number() {
        let mut long = outcome("time: 5\n");
        long.stdout.length = 9_000_000;
        let metric = Metric::Output {
            pattern: "time: ([0-9]+)".into(),
            unit: "s".into(),
            higher_is_better: false,
        };
        let kept = "time: 5\n".len();
        let length = 9_000_000;
        assert_eq!(
            value(&metric, &long),
            Err(MetricError::TooLong { length, kept })
        );
        assert_eq!(value(&Metric::WallTime, &long), Ok(1_700_001.0));
    }

    #[test]
    fn what_is_no_positive_number_is_refused() {
        assert!(matches!(
            of("ops ([0-9]+)", "nothing"),
            Err(MetricError::NoMatch { .. })
        ));
        assert!(matches!(
            of("ops (.*)", "ops many"),
            Err(MetricError::NotANumber { .. })
        ));
        for bad in ["0", "-3", "inf", "NaN"] {
            assert!(
                matches!(
                    of("ops (.*)", &format!("ops {bad}")),
                    Err(MetricError::NotPositive { .. })
                ),
                "{bad}"
            );
        }
        for far in ["1e300", "1e-300", "5e-324", "1.1e50"] {
            assert!(
                matches!(
                    of("ops (.*)", &format!("ops {far}")),
                    Err(MetricError::OutOfRange { .. })
                ),
                "{far}"
            );
        }
        assert_eq!(of("ops (.*)", "ops 1e50"), Ok(1e50));
        let mut instant = outcome("");
        (instant.cpu, instant.peak) = (Duration::ZERO, Peak::AtMost(700));
        assert!(matches!(
            value(&Metric::CpuTime, &instant),
            Err(MetricError::NotPositive { .. })
        ));
        assert_eq!(
            value(&Metric::PeakMemory, &instant),
            Err(MetricError::BelowFloor { floor: 700 })
        );
    }
}
