//! A number in a text: whether what was found is all of it, or `1.1` of `1.1e+06`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use regex_syntax::hir::{Class, ClassUnicodeRange, Hir, HirKind};

use super::compound;

/// Signs that stand between the digits of one number: a decimal point, and what groups digits.
const BETWEEN: [char; 8] = ['.', ',', '_', '\'', '’', '\u{a0}', '\u{2009}', '\u{202f}'];

/// What makes a number that ends before it the first factor of a product: `9.1 x 10^5`.
#[expect(clippy::unwrap_used, reason = "a constant, which the tests compile")]
static TIMES_A_POWER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^ ?[x×*·] ?10 ?(?:\^|\*\*|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹])").unwrap());

/// What makes a zero that ends before it the beginning of a number of base 16.
#[expect(clippy::unwrap_used, reason = "a constant, which the tests compile")]
static OF_BASE_16: LazyLock<Regex> = LazyLock::new(|| Regex::new("^[xX][0-9a-fA-F]").unwrap());

/// What makes digits that start behind it those of a number of base 16, of base 2 or of base 8.
#[expect(clippy::unwrap_used, reason = "a constant, which the tests compile")]
static BEGINS_OF_A_BASE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:^|[^0-9A-Za-z_.])0[xXbBoO]$").unwrap());

/// One to three digits and groups of three, each with a space behind it.
#[expect(clippy::unwrap_used, reason = "a constant, which the tests compile")]
static GROUPS_BEFORE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:^|[^0-9.,A-Za-z_])[1-9][0-9]{0,2} (?:[0-9]{3} )*$").unwrap());

/// A group of three digits behind a space.
#[expect(clippy::unwrap_used, reason = "a constant, which the tests compile")]
static GROUP_BEHIND: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^ [0-9]{3}(?:[^0-9]|$)").unwrap());

/// Most letters of a text that are quoted.
const QUOTED: usize = 40;

/// What an expression says itself of the letters beside its only group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spelt {
    before: Option<char>,
    after: Option<char>,
}

impl Spelt {
    /// Of an expression with one group; nothing where that stands in a choice or a repetition.
    pub(super) fn of(pattern: &str) -> Spelt {
        let parsed = regex_syntax::parse(pattern);
        parsed
            .ok()
            .and_then(|expression| beside(&expression, Spelt::default()))
            .unwrap_or_default()
    }
}

/// What stands beside the group, where this holds it and has `outside` around itself.
fn beside(expression: &Hir, outside: Spelt) -> Option<Spelt> {
    match expression.kind() {
        HirKind::Capture(_) => Some(outside),
        HirKind::Concat(parts) => parts.iter().enumerate().find_map(|(at, part)| {
            let neighbour = |at: Option<usize>| at.and_then(|at| parts.get(at));
            let (before, after) = (neighbour(at.checked_sub(1)), neighbour(Some(at + 1)));
            let around = Spelt {
                before: before.map_or(outside.before, |before| literal(before).last().copied()),
                after: after.map_or(outside.after, |after| literal(after).first().copied()),
            };
            beside(part, around)
        }),
        _ => None,
    }
}

/// The letters of a literal; a space for what finds nothing but spaces.
fn literal(part: &Hir) -> Vec<char> {
    match part.kind() {
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).unwrap_or_default();
            text.chars().collect()
        }
        // `\s+` means the space that it finds.
        HirKind::Repetition(repetition) => literal(&repetition.sub),
        HirKind::Class(Class::Unicode(class)) => {
            let space =
                |range: &ClassUnicodeRange| (range.start()..=range.end()).all(char::is_whitespace);
            let blank = class.iter().all(space) && class.iter().next().is_some();
            blank.then_some(' ').into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// The text around `found`, quoted, where that is only a part of a number. A letter beside it that
/// the expression spells itself is no part of the number: it was meant to stand there.
pub(super) fn whole(text: &str, found: Range<usize>, spelt: Spelt) -> Option<String> {
    let before = text.get(..found.start)?;
    let after = text.get(found.end..)?;
    let meant = |letter: Option<char>, spelt: Option<char>| letter.is_some() && letter == spelt;
    let goes_on = goes_on(after) && !meant(after.chars().next(), spelt.after);
    let began = (began(before) || compound::clock_began(before))
        && !meant(before.chars().next_back(), spelt.before);
    let of_a_power = TIMES_A_POWER.is_match(after);
    let number = text.get(found.clone()).unwrap_or_default();
    // Where the expression spells the letter, it still is no number of base 10.
    let of_base_16 =
        (number == "0" && OF_BASE_16.is_match(after)) || BEGINS_OF_A_BASE.is_match(before);
    let grouped = (is_grouped_behind(before, number) && spelt.before != Some(' '))
        || (is_grouped_before(number, after) && spelt.after != Some(' '));
    let of_several = grouped || compound::is_part(before, after);
    if !(goes_on || began || of_a_power || of_base_16 || of_several) {
        return None;
    }
    let line = |letter: char| letter == '\n' || (letter.is_ascii_whitespace() && !of_several);
    let start = before.rfind(line).map_or(0, |at| at + 1);
    let end = after.find(line).map_or(text.len(), |at| found.end + at);
    // Of a long line what stands next to the number.
    let skipped = text.get(start..found.start)?.chars().count();
    let skipped = skipped.saturating_sub(QUOTED / 2);
    let around = text.get(start..end)?.chars().skip(skipped).take(QUOTED);
    Some(format!("{:?}", around.collect::<String>()))
}

/// Whether a number that starts behind this text says how far off another one may be, as in
/// `3.1 ms ± 0.4 ms`, and the expression does not name the sign itself.
pub(super) fn is_error(before: &str, pattern: &str) -> bool {
    let before = before.trim_end_matches([' ', '\t', '\u{a0}']);
    let signs = ["±", "+/-", "+-"];
    let spelt = ["±", r"\+", "[+]"];
    signs.iter().any(|sign| before.ends_with(sign))
        && !spelt.iter().any(|spelt| pattern.contains(spelt))
}

/// The sign before a number that starts behind this text which makes it a bound (`time <1 ms`), where
/// the expression does not name it itself.
pub(super) fn bound(before: &str, pattern: &str) -> Option<char> {
    let before = before.trim_end_matches([' ', '\t', '=']);
    let sign = before.chars().next_back();
    let sign = sign.filter(|sign| !pattern.contains(*sign))?;
    let is_bound = match sign {
        '<' | '≤' | '⩽' | '≥' | '⩾' => true,
        // An arrow, a tag and a prompt end in it as well.
        '>' => {
            let name = before.rsplit('\n').next()?.strip_suffix('>')?;
            name.ends_with([' ', '\t', ':']) && !name.trim().is_empty()
        }
        _ => false,
    };
    is_bound.then_some(sign)
}

/// Whether a number is the last groups of one whose digits are grouped by spaces: `345` of `12 345`.
fn is_grouped_behind(before: &str, number: &str) -> bool {
    let digits = number.find(|letter: char| !letter.is_ascii_digit());
    let line = before.rsplit('\n').next().unwrap_or_default();
    digits.unwrap_or(number.len()) == 3 && GROUPS_BEFORE.is_match(line)
}

/// Whether a number is the first group of such a one.
fn is_grouped_before(number: &str, after: &str) -> bool {
    let digits = number.bytes().all(|letter| letter.is_ascii_digit());
    digits
        && (1..=3).contains(&number.len())
        && !number.starts_with('0')
        && GROUP_BEHIND.is_match(after)
}

/// Whether a number that ends before this text goes on in it.
fn goes_on(after: &str) -> bool {
    let mut letters = after.chars();
    let [first, second, third] = [letters.next(), letters.next(), letters.next()];
    match first {
        Some('e' | 'E') => {
            is_digit(second) || (matches!(second, Some('+' | '-')) && is_digit(third))
        }
        // As Fortran writes it, and as `%a` does.
        Some('d' | 'D' | 'p' | 'P') => matches!(second, Some('+' | '-')) && is_digit(third),
        Some('/') => is_digit(second),
        Some(letter) if letter == ':' || BETWEEN.contains(&letter) => is_digit(second),
        first => is_digit(first),
    }
}

/// Whether a number that starts behind this text began in it already. A point behind other points
/// only leads to it: `total ..... 5`.
fn began(before: &str) -> bool {
    let mut letters = before.chars().rev();
    let [last, second, third] = [letters.next(), letters.next(), letters.next()];
    let apart = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
    match last {
        Some('.') => is_digit(second) || (apart(second) && second != Some('.')),
        Some('e' | 'E') => is_digit(second) || (second == Some('.') && is_digit(third)),
        Some('/') => is_digit(second),
        Some('-' | '+') if matches!(second, Some('e' | 'E' | 'd' | 'D' | 'p' | 'P')) => {
            is_digit(third)
        }
        // A number below zero; `run-5` is none.
        Some('-' | '−') => apart(second) && second != Some('-'),
        Some(letter) if BETWEEN.contains(&letter) => is_digit(second),
        last => is_digit(last),
    }
}

fn is_digit(letter: Option<char>) -> bool {
    letter.is_some_and(|letter| letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_number_is_none() {
        let part = |before: &str, found: &str, after: &str| {
            let text = format!("{before}{found}{after}");
            let range = before.len()..before.len() + found.len();
            whole(&text, range, Spelt::default()).is_some()
        };
        for (before, after) in [
            ("", "e+06"),
            ("", "E6 s"),
            ("", ",234"),
            ("", ".5"),
            ("", "_000"),
            ("", "\u{202f}000"),
            ("", "5"),
            ("", ":05.2"),
            ("1:", ""),
            ("1m", "s"),
            ("", "m2.5s"),
            ("1,", ""),
            ("t=1.", ""),
            ("t .", ""),
            ("time: -", ""),
            ("−", ""),
            ("1e", ""),
            ("2.e", ""),
            ("1e-", ""),
            ("time: 1", ""),
            ("rate ", " x 10^5"),
            ("rate ", "×10⁵"),
            ("rate ", " * 10**5"),
            ("rate ", " 345"),
            ("1.5D+", ""),
            ("", "D+03"),
            ("", "p-3"),
            ("", "/16"),
            ("3/", ""),
            ("rate ", " 345 678 ms"),
            ("took 1h ", ""),
            ("took 1d ", "\n"),
            ("took 1 day, ", ""),
            ("took 1 day, 0:00:", ""),
            ("1-00:00:", ""),
            ("took PT1M", "S"),
            ("took PT", "M2.5S"),
            ("took P1DT0H", "M"),
            ("1 Min ", " Sec"),
            ("took ", "d 1.00"),
            ("1w ", "d"),
        ] {
            assert!(part(before, "12", after), "{before}12{after}");
        }
        for (before, after) in [
            ("time: ", " s"),
            ("time:", "\n"),
            ("time", "e"),
            ("time ", ", 13 more"),
            ("took ", "."),
            ("total .....", ""),
            ("run-", "-x"),
            ("10 - ", ""),
            ("bench.", "s"),
            ("size", "ms"),
            ("(", ")"),
            ("core", "e x"),
            ("0:", "elapsed"),
            ("time:", ": 5"),
            ("", " x 10 runs"),
            ("3 + ", ""),
            ("0m ", ""),
            ("1m ", " files"),
            ("3s ", ""),
            ("took PT0M", "S"),
            ("rate ", " 3456"),
            ("rate ", "  345"),
            ("", "D"),
            ("", "/s"),
            ("a/", ""),
        ] {
            assert!(!part(before, "12", after), "{before}12{after}");
        }
    }

    #[test]
    fn digits_that_spaces_group_are_one_number() {
        let part = |before: &str, found: &str, after: &str| {
            let text = format!("{before}{found}{after}");
            let range = before.len()..before.len() + found.len();
            whole(&text, range, Spelt::default()).is_some()
        };
        for (before, found, after) in [
            ("time: 12 ", "345", " ms"),
            ("time: 1 234 ", "567.5", ""),
            ("time: ", "12", " 345 ms"),
        ] {
            assert!(part(before, found, after), "{before}{found}{after}");
        }
        for (before, found, after) in [
            ("time: 12  ", "345", " ms"),
            ("v2 ", "345", " ms"),
            ("run 1.5 ", "345", ""),
            ("run 1234 ", "345", ""),
            ("run 12 ", "34", ""),
            ("", "1.5", " 345"),
            ("", "0", " 345"),
        ] {
            assert!(!part(before, found, after), "{before}{found}{after}");
        }
        assert!(part("", "0", "x1f") && !part("", "0", "x of 3") && !part("", "10", "x1"));
        assert!(part("cycles: 0x", "1000", "") && part("=0b", "1010", ""));
        assert!(!part("box ", "10", "") && !part("v10x", "12", "") && !part("1.0x", "12", ""));
    }

    #[test]
    fn what_stands_behind_plus_or_minus_is_an_error() {
        for before in ["3.1 ms ± ", "3.1 +/-", "3.1 ms ±\u{a0}"] {
            assert!(is_error(before, "([0-9.]+) ms"), "{before}");
        }
        assert!(!is_error("3.1 ms ± ", r"ms ± ([0-9.]+) ms"), "it is meant");
        assert!(!is_error("3.1 +/- ", r"\+/- ([0-9.]+)"), "it is meant");
        assert!(!is_error("a 3 ", "a 3 ([0-9.]+)"));
    }

    #[test]
    fn a_bound_is_told_from_arrows_tags_and_prompts() {
        for before in ["time <", "time: < ", "time >", "time: >= ", "a\nb ≥ "] {
            assert!(bound(before, "([0-9.]+)").is_some(), "{before}");
        }
        for before in ["a -> ", "a => ", "<td>", "> ", "a\n> ", "time ~", "time="] {
            assert_eq!(bound(before, "([0-9.]+)"), None, "{before}");
        }
        assert_eq!(bound("time<", "time<([0-9.]+)"), None, "it is meant");
    }

    #[test]
    fn what_the_expression_spells_beside_its_group_is_meant() {
        let spelt = |pattern: &str| {
            let spelt = Spelt::of(pattern);
            (spelt.before, spelt.after)
        };
        assert_eq!(spelt("^x,([0-9.]+),"), (Some(','), Some(',')));
        assert_eq!(spelt("(?:a|time: (?<t>.+)) s"), (None, None));
        assert_eq!(spelt("(?:delta -([0-9]+))x"), (Some('-'), Some('x')));
        assert_eq!(spelt("time.*([0-9]+).*"), (None, None));
        assert_eq!(spelt(r"run\s+([0-9]+)"), (Some(' '), None));
        let text = "run 1 985 ms";
        assert_eq!(
            whole(text, 6..9, Spelt::of(r"run [0-9]+\s+([0-9]+) ms")),
            None
        );
        let grouped = whole(text, 6..9, Spelt::of("run.*?([0-9]+) ms"));
        assert_eq!(grouped, Some(format!("{text:?}")));
        let text = "x,12,345,6";
        assert_eq!(whole(text, 2..4, Spelt::of("^x,([0-9]+),")), None);
        assert_eq!(
            whole(text, 2..4, Spelt::of("^x,([0-9]+).*")),
            Some("\"x,12,345,6\"".to_owned())
        );
    }
}
