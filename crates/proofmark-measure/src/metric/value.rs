//! The number that a run yields.

use proofmark_terms::Metric;

use super::{LARGEST, MetricError, SMALLEST, parse};
use crate::{Accounted, Outcome, Peak};

/// How much of an output is shown when nothing in it matches.
const SHOWN: usize = 200;

/// The metric of a run: nanoseconds, bytes, or the unit of the program's own output, from 1e-50 to
/// 1e50. Of several matches in the output the last one counts: programs report progress
/// first and the result after.
///
/// # Errors
/// When the output has no match, the match is no number, the number is not above zero or out
/// of range, or peak memory is below what can be told.
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
        },
        Metric::Output { pattern, .. } => {
            let (length, kept) = (outcome.stdout.length, outcome.stdout.kept.len() as u64);
            if length > kept {
                return Err(MetricError::TooLong { length, kept });
            }
            printed(pattern, &outcome.stdout.text())?
        }
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

fn printed(pattern: &str, text: &str) -> Result<f64, MetricError> {
    let expression = parse::compile(pattern)?;
    let last = expression.captures_iter(text).last();
    let group = last.as_ref().and_then(|captures| captures.get(1));
    if let (Some(group), Some(last)) = (group, last.as_ref().and_then(|last| last.get(0)))
        && let Some(rest) = goes_on(
            group.as_str(),
            &text[group.end()..],
            last.end() > group.end(),
        )
    {
        return Err(MetricError::GoesOn {
            found: group.as_str().trim().to_owned(),
            whole: format!("{}{rest}", group.as_str().trim()),
            pattern: pattern.to_owned(),
        });
    }
    let Some(found) = group.map(|group| group.as_str().trim()) else {
        let start: String = text.chars().take(SHOWN).collect();
        return Err(MetricError::NoMatch {
            pattern: pattern.to_owned(),
            start: format!("{start:?}"),
        });
    };
    found.parse().map_err(|_| MetricError::NotANumber {
        found: found.to_owned(),
        pattern: pattern.to_owned(),
    })
}

/// What of a number stands behind the group that was to be around it: an exponent, more digits. A
/// point or a comma that the expression itself takes in behind the group is meant to be left out.
fn goes_on<'a>(group: &str, rest: &'a str, taken: bool) -> Option<&'a str> {
    let digit = |at: usize| rest.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let ends_in_number = group.ends_with(|last: char| last.is_ascii_digit() || last == '.');
    let further = match rest.as_bytes().first()? {
        b'e' | b'E' => {
            digit(1) || (matches!(rest.as_bytes().get(1), Some(b'+' | b'-')) && digit(2))
        }
        b'0'..=b'9' => !taken,
        b'.' | b',' | b'_' | b'\'' => !taken && digit(1),
        _ => false,
    };
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || ".,_'+-".contains(c)));
    (ends_in_number && further).then(|| rest.get(..end.unwrap_or(rest.len())))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{End, Output, Short};
    use std::time::Duration;

    fn outcome(stdout: &str) -> Outcome {
        let output = |text: &str| Output {
            digest: [0; 32],
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
    fn a_number_that_goes_on_behind_the_group_is_refused() {
        for printed in ["1.1e+06", "9e3", "1,234,567", "12'345"] {
            let found = of("time: ([0-9.]+)", &format!("time: {printed} s\n"));
            let Err(MetricError::GoesOn { whole, .. }) = found else {
                panic!("{printed}: {found:?}");
            };
            assert_eq!(whole, printed);
        }
        let cut = of("time: ([0-9]+)", "time: 12.5\n");
        assert!(matches!(cut, Err(MetricError::GoesOn { .. })), "{cut:?}");
        // A unit is none, and what the expression itself takes in is meant.
        assert_eq!(of("time: ([0-9.]+)", "time: 12.5e s"), Ok(12.5));
        assert_eq!(of("time: ([0-9]+)", "time: 12. Done"), Ok(12.0));
        assert_eq!(of("total,([0-9.]+),", "total,12.5,300"), Ok(12.5));
        assert_eq!(of(r"time: ([0-9]+)\.[0-9]+", "time: 12.5"), Ok(12.0));
    }

    #[test]
    fn an_output_that_is_not_all_there_has_no_number() {
        let metric = Metric::Output {
            pattern: "time: ([0-9]+)".into(),
            unit: "s".into(),
            higher_is_better: false,
        };
        let mut cut = outcome("time: 5\n");
        cut.stdout.length = 2 << 20;
        assert_eq!(
            value(&metric, &cut),
            Err(MetricError::TooLong {
                length: 2 << 20,
                kept: 8
            })
        );
        assert!(value(&Metric::WallTime, &cut).is_ok());
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
