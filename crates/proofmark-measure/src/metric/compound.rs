//! Times of several numbers: `1m2.5s`, `2 min 3 s`, `1:05.2`. Each number in them is a part only.

use std::sync::LazyLock;

use regex::Regex;

/// Units of time, longest first.
const UNITS: &str = r"(days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|ms|us|µs|μs|ns|d|h|m|s)";

/// A unit, and another number with a unit behind it.
#[expect(clippy::unwrap_used, reason = "a constant, which the tests compile")]
static GOES_ON: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(
        r"^ ?{UNITS} ?(?:and )?[0-9]+(?:\.[0-9]+)? ?{UNITS}(?:[^A-Za-zµμ/]|$)"
    ))
    .unwrap()
});

/// A number that is not zero, and its unit.
#[expect(clippy::unwrap_used, reason = "a constant, which the tests compile")]
static BEGAN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&format!(r"([0-9][0-9.]*) ?{UNITS} ?(?:and )?$")).unwrap());

/// A unit.
#[expect(clippy::unwrap_used, reason = "a constant, which the tests compile")]
static UNIT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&format!(r"^ ?{UNITS}(?:[^A-Za-zµμ/]|$)")).unwrap());

/// Whether a number between these texts is a part of a time that has smaller parts, or larger ones
/// that are not zero.
pub(super) fn is_part(before: &str, after: &str) -> bool {
    let larger = |one: &str, other: &str| size(one) > size(other);
    let goes_on = GOES_ON
        .captures(after)
        .is_some_and(|found| larger(&found[1], &found[2]));
    let began = || {
        let (began, own) = (BEGAN.captures(before)?, UNIT.captures(after)?);
        Some(larger(&began[2], &own[1]) && is_something(&began[1]))
    };
    goes_on || began().unwrap_or(false)
}

/// Whether hours or minutes that are not zero stand before this, as in `1:` of `1:05.2`.
pub(super) fn clock_began(before: &str) -> bool {
    let Some(before) = before.strip_suffix(':') else {
        return false;
    };
    let others = before.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == ':');
    is_something(&before[others.len()..])
}

fn is_something(digits: &str) -> bool {
    digits.bytes().any(|digit| (b'1'..=b'9').contains(&digit))
}

/// Orders units of time by their length.
fn size(unit: &str) -> u32 {
    match unit {
        "ns" => 0,
        "us" | "µs" | "μs" => 1,
        "ms" => 2,
        unit if unit.starts_with('s') => 3,
        unit if unit.starts_with('m') => 4,
        unit if unit.starts_with('h') => 5,
        _ => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_several_numbers_is_told_from_several_times() {
        for (before, after) in [
            ("took ", "m2.5s"),
            ("took 1m", "s"),
            ("took ", "h02m"),
            ("", " min 3 s"),
            ("2 min ", " s\n"),
            ("2 minutes and ", " seconds"),
            ("", "s 500ms"),
        ] {
            assert!(is_part(before, after), "{before}|{after}");
        }
        for (before, after) in [
            ("took ", " s"),
            ("real\t0m", "s"),
            ("", " ms 13 ms"),
            ("[1.2 ms ", " ms 1.4 ms]"),
            ("time:", " s"),
            ("5 s, ", " ms"),
            ("", " s per 100 m/s"),
            ("run 12 of ", ""),
        ] {
            assert!(!is_part(before, after), "{before}|{after}");
        }
        assert!(clock_began("at 1:") && clock_began("1:00:"));
        assert!(!clock_began("0:") && !clock_began("time:") && !clock_began("0:00:"));
    }
}
