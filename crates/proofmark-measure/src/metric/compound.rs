//! Times of several numbers: `1m2.5s`, `2 min 3 s`, `1:05.2`. Each number in them is a part only.

use std::sync::LazyLock;

use regex::Regex;

/// Units of time, longest first.
const UNITS: &str =
    r"(weeks?|days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|ms|us|µs|μs|ns|w|d|h|m|s)";

/// A unit, and another number with a unit behind it.
#[expect(clippy::unwrap_used, reason = "a constant, which the tests compile")]
static GOES_ON: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?i)^ ?{UNITS},? ?(?:and )?[0-9]+(?:\.[0-9]+)? ?{UNITS}(?:[^A-Za-zµμ/]|$)"
    ))
    .unwrap()
});

/// A number that is not zero, and its unit.
#[expect(clippy::unwrap_used, reason = "a constant, which the tests compile")]
static BEGAN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&format!(r"(?i)([0-9][0-9.]*) ?{UNITS},? ?(?:and )?$")).unwrap());

/// A unit.
#[expect(clippy::unwrap_used, reason = "a constant, which the tests compile")]
static UNIT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&format!(r"(?i)^ ?{UNITS}(?:[^A-Za-zµμ/]|$)")).unwrap());

/// A time of minutes at least, behind which another number stands without a unit: `1d 1.00`.
#[expect(clippy::unwrap_used, reason = "a constant, which the tests compile")]
static BEGAN_BARE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)([0-9][0-9.]*)(?: ?(?:weeks?|days?|hours?|hrs?|mins?|minutes?)|[wdhm]),? ?(?:and )?$",
    )
    .unwrap()
});

/// A unit of minutes at least, and a number without a unit behind it.
#[expect(clippy::unwrap_used, reason = "a constant, which the tests compile")]
static GOES_ON_BARE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^(?: ?(?:weeks?|days?|hours?|hrs?|mins?|minutes?)|[wdhm]),? ?(?:and )?[0-9][0-9.:]*[ \t]*(?:$|[\r\n])",
    )
    .unwrap()
});

/// What a time by ISO 8601 begins with: `PT1H2M` of `PT1H2M3.5S`.
#[expect(clippy::unwrap_used, reason = "a constant, which the tests compile")]
static ISO: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\bP((?:[0-9]+(?:\.[0-9]+)?[YMWDH]|T)*)$").unwrap());

/// What goes on with a smaller part of such a time.
#[expect(clippy::unwrap_used, reason = "a constant, which the tests compile")]
static ISO_GOES_ON: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^[YMWDH]T?[0-9]").unwrap());

/// Whether a number between these texts is a part of a time that has smaller parts, or larger ones
/// that are not zero.
pub(super) fn is_part(before: &str, after: &str) -> bool {
    let larger = |one: &str, other: &str| size(one) > size(other);
    // `5 s, 12 ms` are two times; `1 hour, 5 minutes` is one.
    let one_time = |text: &str, unit: &str| !text.contains(',') || is_long(unit);
    let goes_on = GOES_ON
        .captures(after)
        .is_some_and(|found| larger(&found[1], &found[2]) && one_time(&found[0], &found[1]));
    let began = || {
        let (began, own) = (BEGAN.captures(before)?, UNIT.captures(after)?);
        let part = larger(&began[2], &own[1]) && one_time(&began[0], &began[2]);
        Some(part && is_something(&began[1]))
    };
    goes_on || began().unwrap_or(false) || is_bare_part(before, after) || is_of_iso(before, after)
}

/// The same, where the smallest number has no unit.
fn is_bare_part(before: &str, after: &str) -> bool {
    let line = after.split(['\r', '\n']).next().unwrap_or_default();
    let began = BEGAN_BARE
        .captures(before)
        .filter(|_| line.trim().is_empty());
    began.is_some_and(|began| is_something(&began[1])) || GOES_ON_BARE.is_match(after)
}

fn is_of_iso(before: &str, after: &str) -> bool {
    ISO.captures(before)
        .is_some_and(|began| is_something(&began[1]) || ISO_GOES_ON.is_match(after))
}

/// Whether hours or minutes that are not zero stand before this, as in `1:` of `1:05.2`.
pub(super) fn clock_began(before: &str) -> bool {
    let Some(before) = before.strip_suffix(':') else {
        return false;
    };
    let others = before.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == ':');
    // Days stand before the hours: `1-00:00:05`, `1 day, 0:00:05`.
    let days = || {
        let days = others.strip_suffix('-')?;
        let other = days.trim_end_matches(|letter: char| letter.is_ascii_digit());
        Some(is_something(&days[other.len()..]))
    };
    let began = || {
        BEGAN_BARE
            .captures(others)
            .map(|began| is_something(&began[1]))
    };
    is_something(&before[others.len()..]) || days().unwrap_or(false) || began().unwrap_or(false)
}

fn is_something(digits: &str) -> bool {
    digits.bytes().any(|digit| (b'1'..=b'9').contains(&digit))
}

/// Whether a unit of minutes or more is spelt out.
fn is_long(unit: &str) -> bool {
    let unit = unit.to_lowercase();
    ["minute", "hour", "day", "week"]
        .iter()
        .any(|long| unit.starts_with(long))
}

/// Orders units of time by their length.
fn size(unit: &str) -> u32 {
    match unit.to_lowercase().as_str() {
        "ns" => 0,
        "us" | "µs" | "μs" => 1,
        "ms" => 2,
        unit if unit.starts_with('s') => 3,
        unit if unit.starts_with('m') => 4,
        unit if unit.starts_with('h') => 5,
        unit if unit.starts_with('d') => 6,
        _ => 7,
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
            ("1 hour, ", " minutes"),
            ("", " Days, 2 hours"),
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
