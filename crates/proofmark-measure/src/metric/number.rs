//! A number in a text: whether what was found is all of it, or `1.1` of `1.1e+06`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use regex_syntax::hir::{Hir, HirKind};

use super::compound;

/// Signs that stand between the digits of one number: a decimal point, and what groups digits.
const BETWEEN: [char; 8] = ['.', ',', '_', '\'', '’', '\u{a0}', '\u{2009}', '\u{202f}'];

/// What makes a number that ends before it the first factor of a product: `9.1 x 10^5`.
#[expect(clippy::unwrap_used, reason = "a constant, which the tests compile")]
static TIMES_A_POWER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^ ?[x×*·] ?10 ?(?:\^|\*\*|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹])").unwrap());

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

/// The letters of a literal.
fn literal(part: &Hir) -> Vec<char> {
    match part.kind() {
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).unwrap_or_default();
            text.chars().collect()
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
    if !(goes_on || began || of_a_power || compound::is_part(before, after)) {
        return None;
    }
    let space = |letter: char| letter.is_ascii_whitespace();
    let start = before.rfind(space).map_or(0, |at| at + 1);
    let end = after.find(space).map_or(text.len(), |at| found.end + at);
    let around: String = text.get(start..end)?.chars().take(QUOTED).collect();
    Some(format!("{around:?}"))
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

/// Whether a number that ends before this text goes on in it.
fn goes_on(after: &str) -> bool {
    let mut letters = after.chars();
    let [first, second, third] = [letters.next(), letters.next(), letters.next()];
    match first {
        Some('e' | 'E') => {
            is_digit(second) || (matches!(second, Some('+' | '-')) && is_digit(third))
        }
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
        Some('-' | '+') if matches!(second, Some('e' | 'E')) => is_digit(third),
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
        ] {
            assert!(!part(before, "12", after), "{before}12{after}");
        }
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
    fn what_the_expression_spells_beside_its_group_is_meant() {
        let spelt = |pattern: &str| {
            let spelt = Spelt::of(pattern);
            (spelt.before, spelt.after)
        };
        assert_eq!(spelt("^x,([0-9.]+),"), (Some(','), Some(',')));
        assert_eq!(spelt("(?:a|time: (?<t>.+)) s"), (None, None));
        assert_eq!(spelt("(?:delta -([0-9]+))x"), (Some('-'), Some('x')));
        assert_eq!(spelt("time.*([0-9]+).*"), (None, None));
        let text = "x,12,345,6";
        assert_eq!(whole(text, 2..4, Spelt::of("^x,([0-9]+),")), None);
        assert_eq!(
            whole(text, 2..4, Spelt::of("^x,([0-9]+).*")),
            Some("\"x,12,345,6\"".to_owned())
        );
    }
}
