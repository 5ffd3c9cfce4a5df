//! Units that an output names apart from its numbers: in a heading (`name  time (us)`), in a column
//! or a field of their own (`985,us`), in the name of a field (`elapsedMs`).

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::{scale, sized};

/// A word, perhaps with what it is counted for, and the letter on each side of it.
#[expect(clippy::unwrap_used, reason = "a constant, which the tests compile")]
static WORD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[A-Za-zµμ]+(?:/[A-Za-zµμ]+)?").unwrap());

/// What makes the word behind it the unit of a number.
#[expect(clippy::unwrap_used, reason = "a constant, which the tests compile")]
static OF_A_NUMBER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[0-9][.]?[ \t\u{a0}\u{2009}\u{202f}]?[\[(]?$").unwrap());

/// The units that a text names apart from its numbers.
pub(super) fn units(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for word in WORD.find_iter(text) {
        let before = text.get(..word.start()).unwrap_or_default();
        let after = text.get(word.end()..).unwrap_or_default();
        let parts: Vec<&str> = if word.as_str().contains('/') {
            vec![word.as_str()]
        } else {
            humps(word.as_str())
        };
        // A single letter is a unit where it stands by itself in brackets, quotes or a field.
        let alone = before.ends_with(['(', '[', '"', ',', ';', '_', '|'])
            && !after.starts_with(['\'', '’']);
        let counts = |part: &&str| {
            let long = part.chars().nth(1).is_some();
            (long || alone) && (sized::is_known(part) || is_rate(part))
        };
        if parts.iter().any(&counts) && !is_of_a_number(before) {
            found.extend(parts.into_iter().filter(counts).map(str::to_owned));
        }
    }
    found
}

/// A unit that only one text names, and another of only the other one that counts the same thing in
/// another size.
pub(super) fn two_sizes<'a>(
    one: &'a BTreeSet<String>,
    other: &'a BTreeSet<String>,
) -> Option<(&'a str, &'a str)> {
    let only = |these: &'a BTreeSet<String>, those: &'a BTreeSet<String>| {
        let only: Vec<&'a str> = these.difference(those).map(String::as_str).collect();
        only
    };
    let others = only(other, one);
    only(one, other).into_iter().find_map(|unit| {
        let mut differing = others.iter().filter(|other| {
            sized::differ(unit, other)
                || (is_rate(unit) && is_rate(other) && scale::differ(unit, other))
        });
        Some((unit, *differing.next()?))
    })
}

fn is_rate(word: &str) -> bool {
    let time = word.split_once('/').map(|(_, time)| time);
    time.is_some_and(|time| sized::is_known(time) || matches!(time, "op" | "iter"))
}

/// Whether the word behind this text is the unit of a number that ends it.
fn is_of_a_number(before: &str) -> bool {
    let start = before.char_indices().rev().nth(3).map_or(0, |(at, _)| at);
    OF_A_NUMBER.is_match(before.get(start..).unwrap_or_default())
}

/// The words of `elapsedMillis`.
fn humps(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut last = ' ';
    for (at, letter) in word.char_indices() {
        if letter.is_uppercase() && last.is_lowercase() {
            parts.push(&word[start..at]);
            start = at;
        }
        last = letter;
    }
    // `MiB` and its like are one word.
    if sized::is_known(word) {
        return vec![word];
    }
    parts.push(&word[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differ(one: &str, other: &str) -> bool {
        two_sizes(&units(one), &units(other)).is_some()
    }

    #[test]
    fn a_unit_that_stands_apart_is_seen() {
        for (one, other) in [
            (
                "name  time (us)\na     1500\n",
                "name  time (ms)\na     1.5\n",
            ),
            (
                "all times in seconds\n1.5\n",
                "all times in milliseconds\n1500\n",
            ),
            ("a,985,us\n", "a,0.985,ms\n"),
            (
                "{\"value\": 985, \"unit\": \"ms\"}",
                "{\"value\": 0.985, \"unit\": \"s\"}",
            ),
            ("elapsedMillis: 985", "elapsedNanos: 985000000"),
            ("total_ms = 985", "total_s = 0.985"),
            ("rate [kops/s]\n5", "rate [Mops/s]\n0.005"),
            ("985  us", "1.2  ms"),
            ("9\nunit: MiB", "9216\nunit: KiB"),
        ] {
            assert!(differ(one, other) && differ(other, one), "{one}|{other}");
        }
    }

    #[test]
    fn units_of_other_numbers_and_words_are_none() {
        for (one, other) in [
            // Each number has its own unit, and takes the one that fits.
            ("setup 985 us\n12", "setup 1.2 ms\n12"),
            ("setup (985 us)\n12", "setup (1.2ms)\n12"),
            ("time (ms)\n12", "time (ms), of seconds of work\n12"),
            ("12", "time (ms)\n12"),
            ("it's a test of s\n12", "it's a test in m\n12"),
            ("other\n12", "mother\n12"),
            ("time (s)\n1", "time (seconds)\n1"),
        ] {
            assert!(!differ(one, other) && !differ(other, one), "{one}|{other}");
        }
    }
}
