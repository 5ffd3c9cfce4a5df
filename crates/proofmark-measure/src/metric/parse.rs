//! How a user names a metric.

use proofmark_terms::{Metric, is_rate};

use super::{MetricError, expression};

/// Units of which less is better.
const LOWER: &[&str] = &[
    "s",
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
    "B",
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

/// Reads a metric as it is typed.
///
/// * `cpu`, `wall`, `memory`: read by the instrument.
/// * `stdout[UNIT,higher]:REGEX`, `stdout[UNIT,lower]:REGEX`: a number that the program prints. The
///   regular expression has exactly one group, around the number; `^` and `$` match at lines; the
///   last match counts. An output of more than a mebibyte yields no number.
/// * `stdout[UNIT]:REGEX`: the direction follows from the unit: more is better for rates (`ops/s`,
///   `MB/s`, `fps`), less for times and sizes.
///
/// The unit is never taken from the expression: `in 5 seconds`, `ops per second` and `12 ms faster`
/// name one too, and a direction that is guessed wrongly turns the answer round.
///
/// # Errors
/// When the form is unknown, the expression is not one or has not exactly one group, no unit is
/// named, or nothing says which direction is better.
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
    let groups = expression(pattern)?.captures_len() - 1;
    if groups != 1 {
        return Err(MetricError::Groups(groups));
    }
    let (unit, higher_is_better) = match named {
        Some(named) => in_brackets(named).ok_or_else(unknown)??,
        None => {
            return Err(MetricError::NoUnit {
                pattern: pattern.to_owned(),
            });
        }
    };
    Ok(Metric::Output {
        pattern: pattern.to_owned(),
        unit,
        higher_is_better,
    })
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

/// Of which there is as much to do in any case: less of a time or a size for each is better, as of
/// the `ns/op` and `B/op` of `go test -bench`.
const OF_WORK: &[&str] = &["op", "iter", "iteration", "call", "request", "run", "item"];

fn direction_of(unit: &str) -> Option<bool> {
    if is_rate(unit) {
        return Some(true);
    }
    let of = match unit.split_once('/') {
        Some((of, work)) if OF_WORK.contains(&work) => of,
        _ => unit,
    };
    (LOWER.contains(&of) || (of != unit && of == "allocs")).then_some(false)
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
            parse_metric("stdout[ops/s]:ops/s: ([0-9.]+)"),
            output("ops/s: ([0-9.]+)", "ops/s", true)
        );
        assert_eq!(
            parse_metric(r"stdout[ms]:took\s+([0-9.]+) ms"),
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
        for (unit, higher) in [("ns/op", false), ("B/op", false), ("allocs/op", false)] {
            let read = parse_metric(&format!("stdout[{unit}]:(.)"));
            assert_eq!(read, output("(.)", unit, higher));
        }
        assert!(parse_metric("stdout[s/item]:(.)").is_ok());
        assert!(
            parse_metric("stdout[allocs]:(.)").is_err()
                && parse_metric("stdout[x/op]:(.)").is_err()
        );
        assert_eq!(
            parse_metric("stdout[x,lower]:a]:(.)"),
            output("a]:(.)", "x", false)
        );
    }

    #[test]
    fn a_unit_and_a_direction_are_never_guessed() {
        for pattern in [
            "took ([0-9.]+) ms",
            "requests per second: ([0-9.]+)",
            "([0-9]+) iterations in 5 seconds",
            "saved ([0-9]+) ms",
        ] {
            let refused = parse_metric(&format!("stdout:{pattern}")).unwrap_err();
            let said = refused.to_string();
            assert!(said.contains(&format!("'stdout[ms]:{pattern}'")), "{said}");
        }
        for unit in ["points", "iterations", "ops"] {
            let said = parse_metric(&format!("stdout[{unit}]:([0-9]+)")).unwrap_err();
            assert_eq!(
                said,
                MetricError::Direction {
                    unit: unit.to_owned()
                }
            );
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(
            parse_metric("stdout[ms]:ms [0-9]+"),
            Err(MetricError::Groups(0))
        );
        assert_eq!(
            parse_metric("stdout[ms]:(ms) ([0-9]+)"),
            Err(MetricError::Groups(2))
        );
        assert!(matches!(
            parse_metric("stdout[ms]:ms ([0-9"),
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
