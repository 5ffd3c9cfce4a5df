//! Words beside two printed numbers that name one unit in two sizes: `Kelem/s` and `Melem/s`, `us`
//! and `ms`, `thousand` and `million`.

use super::sized;

/// What multiplies a unit, longest first.
const PREFIXES: [&str; 30] = [
    "nano", "micro", "milli", "kilo", "mega", "giga", "tera", "Nano", "Micro", "Milli", "Kilo",
    "Mega", "Giga", "Tera", "Ki", "Mi", "Gi", "Ti", "n", "u", "µ", "μ", "m", "k", "K", "M", "G",
    "T", "P", "E",
];

/// Words for powers of ten.
const POWERS: [&str; 7] = [
    "thousand", "million", "billion", "trillion", "mln", "mio", "bn",
];

/// Units of one letter. Other stems have two letters at least, for otherwise `a` and `ma` were one.
const SHORT: [&str; 3] = ["s", "B", "b"];

/// Whether two words differ, and name the same thing in different sizes as far as words tell.
pub(super) fn differ(one: &str, other: &str) -> bool {
    if one == other {
        return false;
    }
    if sized::differ(one, other) {
        return true;
    }
    let power = |word: &str| POWERS.iter().any(|power| word.starts_with(power));
    if power(one) || power(other) {
        return true;
    }
    let others = stems(other);
    let long = |stem: &&str| stem.chars().nth(1).is_some() || SHORT.contains(stem);
    stems(one)
        .into_iter()
        .filter(long)
        .any(|stem| others.contains(&stem))
}

/// A word, and what is left of it without each prefix that it may have.
fn stems(word: &str) -> Vec<&str> {
    let without = PREFIXES
        .iter()
        .filter_map(|prefix| word.strip_prefix(prefix));
    std::iter::once(word).chain(without).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_differ_by_a_prefix_are_one_unit_in_two_sizes() {
        for (one, other) in [
            ("Kelem/s", "Melem/s"),
            ("elem/s", "Kelem/s"),
            ("MFLOP/s", "GFLOP/s"),
            ("us", "ms"),
            ("s", "ms"),
            ("seconds", "ms"),
            ("KiB/s", "MiB/s"),
            ("thousand", "million"),
            ("rows", "krows"),
        ] {
            assert!(differ(one, other) && differ(other, one), "{one} {other}");
        }
        for (one, other) in [
            ("ms", "ms"),
            ("for", "in"),
            ("alice", "bob"),
            ("a", "ma"),
            ("hits", "misses"),
            ("elapsed", "total"),
        ] {
            assert!(!differ(one, other), "{one} {other}");
        }
    }
}
