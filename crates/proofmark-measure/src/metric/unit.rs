//! The unit that stands behind a printed number.

use std::sync::LazyLock;

use regex::Regex;

/// A prefix, a unit, or both, and perhaps what it is counted for. One space and a bracket may stand
/// before it, and no letter behind it.
#[expect(clippy::unwrap_used, reason = "a constant, which the tests compile")]
static UNIT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^[ \t\u{a0}\u{2009}\u{202f}]?[\[(]?(",
        r"(?:(?:nano|micro|milli|kilo|mega|giga|tera|[KMGTPE]i|[nuµμmkKMGTPE])?",
        r"(?:s|secs?|seconds?|B|[Bb]ytes?|b|[Bb]its?|bps|Bps|Hz|ops?|OPS|FLOPS|cycles?)",
        r"|[KMGTPE]i|[nuµμkKMGTPE]|m|min|mins|minutes?|h|hours?|%)",
        r"(?:/[A-Za-zµμ]+)?",
        r")(?:[^A-Za-zµμ/%]|$)"
    ))
    .unwrap()
});

/// The word at the start of what follows a number.
#[expect(clippy::unwrap_used, reason = "a constant, which the tests compile")]
static WORD_BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[ \t\u{a0}\u{2009}\u{202f}]?[\[(]?([A-Za-zµμ][A-Za-z0-9µμ/]*)").unwrap()
});

/// The word that a number is written for: `us` of `elapsed_us=`, `time (us): `.
#[expect(clippy::unwrap_used, reason = "a constant, which the tests compile")]
static WORD_BEFORE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"([A-Za-zµμ][A-Za-zµμ/]*)[\])]?[ \t]*[:=]?[ \t]*$").unwrap());

/// The words on either side of a number, which may say in what it is counted.
pub(super) fn words(before: &str, after: &str) -> [Option<String>; 2] {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let word = |expression: &Regex, text: &str| Some(expression.captures(text)?[1].to_owned());
    [word(&WORD_BEFORE, line), word(&WORD_BEHIND, after)]
}

/// The unit at the start of what follows a number.
pub(super) fn behind(text: &str) -> Option<&str> {
    let found = UNIT.captures(text)?;
    found.get(1).map(|unit| unit.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_told_from_words() {
        for (text, unit) in [
            (" us\n", "us"),
            ("ms", "ms"),
            ("µs, 3 runs", "µs"),
            (" seconds elapsed", "seconds"),
            ("k", "k"),
            (" M", "M"),
            (" MiB/s", "MiB/s"),
            (" ops/s", "ops/s"),
            (" Mops/sec.", "Mops/sec"),
            ("%", "%"),
            (" min", "min"),
            (" (ms)", "ms"),
            ("[s]", "s"),
        ] {
            assert_eq!(behind(text), Some(unit), "{text}");
        }
        for text in [
            "",
            "\n",
            " for alice",
            " mine",
            "  s",
            "\ns",
            " x",
            ", s",
            " sum",
        ] {
            assert_eq!(behind(text), None, "{text}");
        }
    }
}
