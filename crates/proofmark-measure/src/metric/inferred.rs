//! The unit of a metric of which the user names the expression alone, and whether more of it is
//! better: by the words of the expression. A direction that may be wrong is not taken, for it turns
//! an answer round.

use proofmark_terms::{is_rate, is_time};

use super::MetricError;
use super::parse::direction_of;

/// Numbers that are called so grow as a program gets faster, whatever their unit is.
const SPEEDS: [&str; 5] = ["bandwidth", "rate", "speed", "speedup", "throughput"];

/// A word of an expression, and where it starts there.
struct Word {
    start: usize,
    text: String,
}

/// The first word of the expression that is a unit, where all that are say the same. `min` may be
/// the least of something.
pub(super) fn inferred(pattern: &str) -> Result<(String, bool), MetricError> {
    let words = words(pattern);
    let of_the_number = |word: &&Word| {
        !is_of_another_number(pattern, word.start) && !is_far_behind(pattern, word.start)
    };
    let units: Vec<(&str, bool)> = words
        .iter()
        .filter(|word| word.text != "min")
        .filter(of_the_number)
        .filter_map(|word| Some((word.text.as_str(), direction_of(&word.text)?)))
        .collect();
    let first = |wanted: bool| units.iter().find(|(_, higher)| *higher == wanted);
    match (units.first(), first(false), first(true)) {
        (_, Some((lower, _)), Some((higher, _))) => Err(MetricError::TwoDirections {
            lower: (*lower).to_owned(),
            higher: (*higher).to_owned(),
        }),
        (Some(&(unit, higher)), ..)
            if higher
                || !(may_be_a_speed(pattern, &words) || counts_something(pattern, &words)) =>
        {
            Ok((unit.to_owned(), higher))
        }
        _ => Err(MetricError::Direction {
            unit: "UNIT".to_owned(),
        }),
    }
}

/// The words of an expression. A letter after a backslash is a class of characters, not a word.
fn words(pattern: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut letters = pattern.char_indices();
    let mut within = false;
    while let Some((start, letter)) = letters.next() {
        let letter = if letter == '\\' {
            let escaped = letters.next().map(|(_, escaped)| escaped);
            escaped.filter(|escaped| !escaped.is_alphanumeric())
        } else {
            Some(letter)
        };
        let Some(letter) =
            letter.filter(|letter| letter.is_alphanumeric() || "/µ".contains(*letter))
        else {
            within = false;
            continue;
        };
        match words.last_mut().filter(|_| within) {
            Some(word) => word.text.push(letter),
            None => words.push(Word {
                start,
                text: letter.into(),
            }),
        }
        within = true;
    }
    words
}

/// Whether the word there is the unit of another number than the metric: `in 5 seconds`, and
/// `[0-9]+ ms` without a group.
fn is_of_another_number(pattern: &str, start: usize) -> bool {
    let before = without_spaces(pattern.get(..start).unwrap_or_default());
    let many = ["+", "*", "?", "}"];
    let digits = ["\\d", "\\S", "]"];
    let repeated = many.iter().any(|many| {
        let class = before.strip_suffix(many);
        class.is_some_and(|class| *many == "}" || digits.iter().any(|digit| class.ends_with(digit)))
    });
    // `p99 ms` has no number before its unit.
    let head = before.trim_end_matches(|last: char| last.is_ascii_digit());
    let written = head.len() < before.len() && !head.ends_with(|last: char| last.is_alphabetic());
    repeated || written || before.ends_with("\\d")
}

fn without_spaces(mut text: &str) -> &str {
    let spaces = ["\\s*", "\\s+", "\\s?", "\\s", " *", " +", " ?", " "];
    while let Some(shorter) = spaces.iter().find_map(|space| text.strip_suffix(space)) {
        text = shorter;
    }
    text
}

/// What stands between the number and this place behind it; `None` in front of it.
fn between(pattern: &str, start: usize) -> Option<&str> {
    let end = group_end(pattern).filter(|end| *end <= start)?;
    pattern.get(end..start)
}

/// Whether something else stands between the number and the word there: `5 ops, 12 ms`.
fn is_far_behind(pattern: &str, start: usize) -> bool {
    between(pattern, start).is_some_and(|text| !is_nothing(text))
}

/// Whether a text is spaces and brackets.
fn is_nothing(text: &str) -> bool {
    let marks = ["\\(", "\\[", "(?:", "(", "[", "\"", "\\\""];
    let mut rest = without_spaces(text);
    while let Some(shorter) = marks.iter().find_map(|mark| rest.strip_suffix(mark)) {
        rest = without_spaces(shorter);
    }
    rest.is_empty()
}

/// Where the group around the number ends.
fn group_end(pattern: &str) -> Option<usize> {
    let (mut open, mut class, mut escaped) = (Vec::new(), false, false);
    for (at, letter) in pattern.char_indices() {
        match letter {
            _ if escaped => {
                escaped = false;
                continue;
            }
            '\\' => escaped = true,
            '[' => class = true,
            ']' => class = false,
            '(' if !class => {
                let inside = pattern.get(at + 1..).unwrap_or_default();
                let named = ["?P<", "?<"].iter().any(|name| inside.starts_with(name));
                open.push(named || !inside.starts_with('?'));
            }
            ')' if !class && open.pop() == Some(true) => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Whether the word behind the number says what is counted, and is no unit: `5000 loops`.
fn counts_something(pattern: &str, words: &[Word]) -> bool {
    let behind = |word: &&Word| between(pattern, word.start).is_some_and(is_nothing);
    let first = words.iter().find(behind);
    first.is_some_and(|word| direction_of(&word.text).is_none())
}

/// Whether it says that something is counted in a time (`ops per second`, `MB / s`), in a cycle, or
/// names a speed.
fn may_be_a_speed(pattern: &str, words: &[Word]) -> bool {
    let named = |word: &Word| SPEEDS.contains(&word.text.to_lowercase().as_str());
    let is_span = |text: &str| {
        let text = text.to_lowercase();
        is_time(&text) || text.starts_with("minute") || text.starts_with("cycle")
    };
    let each = words.iter().any(|word| {
        let of_span = word.text.strip_prefix('/').is_some_and(is_span);
        of_span || named(word) || is_rate(&word.text)
    });
    let in_a_span = words.windows(2).any(|pair| {
        let [one, next] = pair else { return false };
        let per = one.text.to_lowercase() == "per" || one.text.ends_with('/');
        per && is_span(&next.text)
    });
    each || in_a_span || pattern.contains(" a second")
}

#[cfg(test)]
mod tests {
    use super::super::parse_metric;
    use super::*;

    fn direction(pattern: &str) -> Option<(String, bool)> {
        match parse_metric(&format!("stdout:{pattern}")) {
            Ok(proofmark_terms::Metric::Output {
                unit,
                higher_is_better,
                ..
            }) => Some((unit, higher_is_better)),
            Err(MetricError::Direction { .. }) => None,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_counted_in_a_time_is_not_a_time() {
        for pattern in [
            r#"ops_per_sec": ([0-9.]+)"#,
            "requests per second: ([0-9.]+)",
            "([0-9.]+) MB per second",
            "([0-9.]+) MB / s",
            r"([0-9.]+)\s+MB /s",
            "([0-9.]+) ops / second",
            "([0-9.]+) bytes a second",
            "([0-9.]+) instructions per cycle",
            "throughput ([0-9.]+) MB",
            "Speed: ([0-9.]+) MB",
        ] {
            assert_eq!(direction(pattern), None, "{pattern}");
        }
        // A time for each of something is one.
        let time = |unit: &str| Some((unit.to_owned(), false));
        assert_eq!(direction("([0-9.]+) ns per op"), time("ns"));
        assert_eq!(direction("([0-9.]+) seconds per pass"), time("seconds"));
        assert_eq!(direction("([0-9.]+) cycles per byte"), time("cycles"));
        assert_eq!(
            direction("([0-9.]+) ops/s"),
            Some(("ops/s".to_owned(), true))
        );
    }

    #[test]
    fn the_unit_of_another_number_is_not_that_of_the_metric() {
        for pattern in [
            r"([0-9]+) iterations in [0-9]+ seconds",
            r"([0-9]+) iterations in \d+\.\d+\s*seconds",
            "in 10 seconds: ([0-9]+) ops",
            r"in \S+ seconds: ([0-9]+) ops",
            r"score ([0-9.]+) \(5 seconds\)",
            r"(\d+) passes in \d{1,3} ms",
            "ops: ([0-9.]+) .*ms",
            "([0-9.]+) calls in one second",
            "sec: ([0-9]+) loops",
            r"seconds: (?<n>[0-9]+)\s+\(rows\)",
        ] {
            assert_eq!(direction(pattern), None, "{pattern}");
        }
        for pattern in [
            "([0-9.]+) ms",
            r"([0-9.]+)\s*ms",
            r"time\s*ms: ([0-9.]+)",
            r"\d+ passes, ms ([0-9.]+)",
            "elapsed_ms=([0-9]+)",
            "p99 ms ([0-9]+)",
            r"([0-9.]+(?:e[0-9]+)?) \(ms\)",
            r"a\(x\): [(] ms ([0-9.]+)$",
            "[a-z]+: ([0-9]+)ms",
        ] {
            assert_eq!(
                direction(pattern),
                Some(("ms".to_owned(), false)),
                "{pattern}"
            );
        }
    }
}
