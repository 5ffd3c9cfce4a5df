//! How a user names a metric.

use regex::Regex;

use proofmark_terms::{Metric, is_rate};

use super::MetricError;
use super::inferred::inferred;

/// Units of which less is better. Those of one letter count only when they are named in brackets.
const LOWER: &[&str] = &[
    "ns",
    "nsec",
    "us",
    "µs",
    "usec",
    "ms",
    "msec",
    "sec",
    "secs",
    "second",
    "seconds",
    "min",
    "minutes",
    "bytes",
    "kB",
    "KB",
    "KiB",
    "MB",
    "MiB",
    "GB",
    "GiB",
    "cycles",
    "instructions",
    "misses",
];
const LOWER_ALONE: &[&str] = &["s", "B"];

/// Reads a metric as it is typed.
///
/// * `cpu`, `wall`, `memory`: read by the instrument.
/// * `stdout[UNIT,higher]:REGEX`, `stdout[UNIT,lower]:REGEX`: a number that the program prints. The
///   regular expression has exactly one group, around the number; `^` and `$` match at lines; the
///   last match counts. An output of more than a mebibyte yields no number.
/// * `stdout[UNIT]:REGEX`: the direction follows from the unit: more is better for rates (`ops/s`,
///   `MB/s`, `fps`), less for times and sizes.
/// * `stdout:REGEX`: the unit is the first word of the expression that is one, as in
///   `stdout:ops/s: ([0-9.]+)`. One that stands at another number (`in 5 seconds`), or says how long
///   something is counted for (`per second`), says nothing.
///
/// # Errors
/// When the form is unknown, the expression is not one or has not exactly one group, or nothing
/// says which direction is better.
pub fn parse_metric(text: &str) -> Result<Metric, MetricError> {
    match text {
        "cpu" | "time" => Ok(Metric::CpuTime),
        "wall" => Ok(Metric::WallTime),
        "memory" => Ok(Metric::PeakMemory),
        _ => output(
            text.strip_prefix("stdout")
                .ok_or_else(|| MetricError::Unknown(text.to_owned()))?,
            text,
        ),
    }
}

fn output(rest: &str, text: &str) -> Result<Metric, MetricError> {
    let unknown = || MetricError::Unknown(text.to_owned());
    let (named, pattern) = match rest.strip_prefix('[') {
        Some(inside) => {
            let (named, pattern) = inside.split_once("]:").ok_or_else(unknown)?;
            (Some(named), pattern)
        }
        None => (None, rest.strip_prefix(':').ok_or_else(unknown)?),
    };
    let groups = compile(pattern)?.captures_len() - 1;
    if groups != 1 {
        return Err(MetricError::Groups(groups));
    }
    let (unit, higher_is_better) = match named {
        Some(named) => in_brackets(named).ok_or_else(unknown)??,
        None => inferred(pattern)?,
    };
    Ok(Metric::Output {
        pattern: pattern.to_owned(),
        unit,
        higher_is_better,
    })
}

pub(super) fn compile(pattern: &str) -> Result<Regex, MetricError> {
    regex::RegexBuilder::new(pattern)
        .multi_line(true)
        .build()
        .map_err(|error| MetricError::Regex(error.to_string()))
}

/// `UNIT`, `UNIT,higher`, `UNIT,lower`; none when it is something else.
fn in_brackets(named: &str) -> Option<Result<(String, bool), MetricError>> {
    let (unit, direction) = named
        .split_once(',')
        .map_or((named, None), |(unit, direction)| {
            (unit, Some(direction.trim()))
        });
    let unit = unit.trim();
    if unit.is_empty() {
        return None;
    }
    let higher = match direction {
        Some("higher") => Some(true),
        Some("lower") => Some(false),
        Some(_) => return None,
        None if LOWER_ALONE.contains(&unit) => Some(false),
        None => direction_of(unit),
    };
    Some(
        higher
            .map(|higher| (unit.to_owned(), higher))
            .ok_or_else(|| MetricError::Direction {
                unit: unit.to_owned(),
            }),
    )
}

pub(super) fn direction_of(unit: &str) -> Option<bool> {
    if is_rate(unit) {
        return Some(true);
    }
    LOWER.contains(&unit).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn output(pattern: &str, unit: &str, higher_is_better: bool) -> Result<Metric, MetricError> {
        Ok(Metric::Output {
            pattern: pattern.into(),
            unit: unit.into(),
            higher_is_better,
        })
    }

    #[test]
    fn the_instruments_own() {
        assert_eq!(parse_metric("cpu"), Ok(Metric::CpuTime));
        assert_eq!(parse_metric("wall"), Ok(Metric::WallTime));
        assert_eq!(parse_metric("memory"), Ok(Metric::PeakMemory));
    }

    #[test]
    fn unit_and_direction_are_named_or_follow() {
        assert_eq!(
            parse_metric("stdout:ops/s: ([0-9.]+)"),
            output("ops/s: ([0-9.]+)", "ops/s", true)
        );
        assert_eq!(
            parse_metric(r"stdout:took\s+([0-9.]+) ms"),
            output(r"took\s+([0-9.]+) ms", "ms", false)
        );
        assert_eq!(
            parse_metric("stdout[points,higher]:score ([0-9]+)"),
            output("score ([0-9]+)", "points", true)
        );
        assert_eq!(
            parse_metric("stdout[s]:time ([0-9.]+)"),
            output("time ([0-9.]+)", "s", false)
        );
        assert_eq!(
            parse_metric("stdout[MB/s, lower]:(.*)"),
            output("(.*)", "MB/s", false)
        );
        assert_eq!(
            parse_metric("stdout[x,lower]:a]:(.)"),
            output("a]:(.)", "x", false)
        );
    }

    #[test]
    fn a_direction_is_never_guessed() {
        for text in [
            r"stdout:\s(\d+)",
            "stdout:score ([0-9]+)",
            "stdout[points]:([0-9]+)",
        ] {
            assert!(
                matches!(parse_metric(text), Err(MetricError::Direction { .. })),
                "{text}"
            );
        }
    }

    #[test]
    fn units_that_say_different_things_decide_nothing() {
        let refused = parse_metric("stdout:ms, or ops/s: ([0-9.]+)");
        assert_eq!(
            refused,
            Err(MetricError::TwoDirections {
                lower: "ms".to_owned(),
                higher: "ops/s".to_owned(),
            })
        );
        let said = refused.unwrap_err().to_string();
        assert!(
            said.contains("names ms,") && said.contains("and ops/s,"),
            "{said}"
        );
        assert!(parse_metric("stdout[ops/s,higher]:ms, or ops/s: ([0-9.]+)").is_ok());
        // The least of something, and not minutes.
        let least = parse_metric("stdout:min ([0-9.]+)");
        assert!(
            matches!(least, Err(MetricError::Direction { .. })),
            "{least:?}"
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(
            parse_metric("stdout:ms [0-9]+"),
            Err(MetricError::Groups(0))
        );
        assert_eq!(
            parse_metric("stdout:(ms) ([0-9]+)"),
            Err(MetricError::Groups(2))
        );
        assert!(matches!(
            parse_metric("stdout:ms ([0-9"),
            Err(MetricError::Regex(_))
        ));
        for text in [
            "",
            "cycles",
            "stdout",
            "stdout[",
            "stdout[ms",
            "stdout[]:(.)",
            "stdout[ms,upwards]:(.)",
            "stderr:(.)",
        ] {
            assert_eq!(parse_metric(text), Err(MetricError::Unknown(text.into())));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_answered(text in "(stdout)?[\\[:]?\\PC{0,40}") {
            if let Ok(Metric::Output { pattern, .. }) = parse_metric(&text) {
                prop_assert!(text.ends_with(&pattern));
            }
        }
    }
}
