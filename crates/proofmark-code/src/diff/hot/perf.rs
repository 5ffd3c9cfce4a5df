//! What `perf script` prints: a line for each sample, and with call chains a line for each frame
//! below it.

use std::collections::HashMap;

/// Addresses in front of a function's name have so many digits at least.
const DIGITS: usize = 4;
/// `perf script` fills addresses up with blanks to so many digits.
const WIDTH: usize = 16;

/// One line.
#[derive(Debug, PartialEq)]
enum Line<'a> {
    /// Behind each sample's call chain.
    Empty,
    /// Program, time, event and function: a sample without a call chain.
    Sample { function: &'a str, period: f64 },
    /// Program, time and event of a sample, whose frames follow.
    Head { period: f64 },
    /// Only an address and a function: a frame, or a sample where nothing else was asked for.
    Frame { function: &'a str, inlined: bool },
}

/// Where in a sample the next line stands.
#[derive(Clone, Copy)]
enum Place {
    Outside,
    /// Behind the first line of a sample of that period.
    Head(f64),
    /// Behind the innermost frame: those below it are callers.
    Callers,
}

/// Whether a line looks like one that `perf script` prints.
pub(super) fn is_script(text: &str) -> bool {
    text.lines().any(|text| match line(text) {
        Line::Sample { .. } => true,
        // Lines of a list may begin with a number too, or with a name made of digits.
        Line::Frame { .. } => is_filled_up(text) || text.contains(" (/") || text.contains(" (["),
        Line::Head { .. } | Line::Empty => false,
    })
}

/// Whether the first word of a line ends where a filled up address does.
fn is_filled_up(text: &str) -> bool {
    let text = text.strip_prefix(['\t', ' ']).unwrap_or(text);
    let word = text.trim_start().split(' ').next().unwrap_or("");
    text.len() - text.trim_start().len() + word.len() == WIDTH
}

/// Samples by the function that was running.
pub(super) fn costs(text: &str) -> HashMap<String, f64> {
    let mut costs: HashMap<String, f64> = HashMap::new();
    let mut count = |function: &str, period: f64| {
        *costs.entry(function.to_string()).or_insert(0.0) += period;
    };
    let chains = text.trim().lines().any(|l| l.trim().is_empty());
    let mut place = Place::Outside;
    for text in text.lines().filter(|l| !l.starts_with('#')) {
        place = match (line(text), place) {
            (Line::Empty, _) => Place::Outside,
            (Line::Head { period }, _) => Place::Head(period),
            (Line::Sample { function, period }, _) => {
                count(function, period);
                Place::Outside
            }
            // Its instructions are the next frame's.
            (Line::Frame { inlined: true, .. }, place) => place,
            (Line::Frame { function, .. }, Place::Head(period)) => {
                count(function, period);
                Place::Callers
            }
            (Line::Frame { .. }, Place::Callers) => Place::Callers,
            (Line::Frame { function, .. }, Place::Outside) => {
                count(function, 1.0);
                if chains || text.starts_with('\t') {
                    Place::Callers
                } else {
                    Place::Outside
                }
            }
        };
    }
    costs
}

fn line(text: &str) -> Line<'_> {
    let text = text.trim();
    if text.is_empty() {
        return Line::Empty;
    }
    // A program's name may be made of digits too.
    let found = split(text).filter(|(before, _)| !before.is_empty() || !text.ends_with(':'));
    let Some((before, behind)) = found else {
        return Line::Head {
            period: period(text),
        };
    };
    let function = function(behind);
    if before.is_empty() {
        let inlined = behind.ends_with(" (inlined)");
        Line::Frame { function, inlined }
    } else {
        Line::Sample {
            function,
            period: period(before),
        }
    }
}

/// What stands before and behind a line's address. It is the first word, or follows the event's
/// name and its colon, or, where the event was not asked for, is the last of several numbers.
fn split(text: &str) -> Option<(&str, &str)> {
    let mut found = None;
    let mut sure = false;
    for (at, word) in words(text) {
        // Behind it are the distance into the function and the file, whose names may be anything.
        if word.contains("+0x") || word.starts_with("(/") || word.starts_with("([") {
            break;
        }
        let before = text[..at].trim_end();
        let behind = text[at + word.len()..].trim_start();
        let named = !behind.is_empty() && !behind.split(char::is_whitespace).next()?.ends_with(':');
        let digits = word.bytes().all(|b| b.is_ascii_hexdigit());
        let first = before.is_empty();
        if !digits || !named || (word.len() < DIGITS && !(first && behind.starts_with('['))) {
            continue;
        }
        if before.ends_with(':') {
            (found, sure) = (Some((before, behind)), true);
        } else if !sure && (first || word.len() >= 2 * DIGITS) {
            found = Some((before, behind));
        }
    }
    found.filter(|(before, behind)| !before.is_empty() || behind.parse::<f64>().is_err())
}

/// The words of a line, each with where it begins.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    let all = text.split(char::is_whitespace).map(move |word| {
        let start = at;
        // White space in text by perf is one byte each; the place is looked up, so that other kinds
        // do no harm.
        at += word.len();
        at += text[at..].chars().next().map_or(0, char::len_utf8);
        (start, word)
    });
    all.filter(|(_, word)| !word.is_empty())
}

/// The function in `name+0x12 (/path/to/program)`; distance and file may be missing.
fn function(text: &str) -> &str {
    if let Some((name, behind)) = text.rsplit_once("+0x") {
        let digits = behind.split(' ').next().unwrap_or("");
        if digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return name;
        }
    }
    if let Some(at) = text.find(" (/").or_else(|| text.find(" ([")) {
        return text[..at].trim_end();
    }
    let file = text.strip_suffix(')').and_then(|t| t.rsplit_once(" ("));
    match file {
        // The brackets of a type's arguments are no file's.
        Some((name, file)) if !file.contains(['(', ')']) => name,
        _ => text,
    }
}

/// The period of a sample: the number in front of the event's name; 1 where there is none.
fn period(text: &str) -> f64 {
    let mut last = ["", ""];
    for word in text.split_whitespace() {
        let [time, period] = last;
        let number = !period.is_empty() && period.bytes().all(|b| b.is_ascii_digit());
        if time.ends_with(':') && number && word.ends_with(':') {
            return period.parse().unwrap_or(1.0);
        }
        last = [period, word];
    }
    1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, f64)> {
        assert!(is_script(text), "{text}");
        let mut costs: Vec<_> = costs(text).into_iter().collect();
        costs.sort_by(|a, b| a.0.cmp(&b.0));
        costs
    }

    fn are(text: &str, expected: &[(&str, f64)]) {
        let expected: Vec<_> = expected.iter().map(|(n, c)| (n.to_string(), *c)).collect();
        assert_eq!(read(text), expected, "{text}");
    }

    #[test]
    fn the_innermost_frame_counts_by_period() {
        are(
            "prog 12 100.5:     300 cycles:u: \n\t    5581 inner+0x4 (/bin/prog)\n\t    5590 outer+0x9 (/bin/prog)\n\nprog 12 100.6:     100 cycles:u: \n\t    5590 outer+0x1 (/bin/prog)\n\n",
            &[("inner", 300.0), ("outer", 100.0)],
        );
    }

    #[test]
    fn without_call_chains_each_line_is_a_sample() {
        are(
            "prog 12 100.5:  250000 cpu-clock:  55d0c0de1234 operator new(unsigned long)+0x4 (/bin/prog)\nprog 12 100.6:  750000 cpu-clock:  55d0c0de1238 main (/bin/prog)\n",
            &[
                ("main", 750_000.0),
                ("operator new(unsigned long)", 250_000.0),
            ],
        );
    }

    #[test]
    fn names_of_programs_filled_up_with_blanks_make_no_frames() {
        are(
            "             hc1  7706 60913.208796:     250000 cpu-clock:ppp:      7fabb32e869e handle_amd+0x7e (/usr/lib/ld.so)\n             hc1  7706 60913.209042:     250000 cpu-clock:ppp:      556275d1719a cl+0x2a (/tmp/hc1)\n             hc1  7706 60913.209295:     250000 cpu-clock:ppp:  ffffffff821c7ee5 cl+0x34 (/tmp/hc 1 (deleted))\n",
            &[("cl", 500_000.0), ("handle_amd", 250_000.0)],
        );
    }

    #[test]
    fn fields_may_have_been_chosen() {
        are(
            "     7fabb32e869e handle_amd\n     556275d1719a std::function<void (int)>::operator()(int)\n ffffffff816caf85 cl\n     556275d171a4 cl\n",
            &[
                ("cl", 2.0),
                ("handle_amd", 1.0),
                ("std::function<void (int)>::operator()(int)", 1.0),
            ],
        );
        are(
            "\t           1462a inner\n\t               0 [unknown]\n\n\n\tffffffff816caf85 may_open\n\tffffffff816d11d7 inner\n\n",
            &[("inner", 1.0), ("may_open", 1.0)],
        );
        are(
            "             hc1     250000      7fabb32e869e handle_amd\n             hc1     250000      556275d171a4 cl\n",
            &[("cl", 1.0), ("handle_amd", 1.0)],
        );
    }

    #[test]
    fn programs_may_be_called_like_addresses() {
        are(
            "            cafe  7706 60913.2:     300 cycles:u: \n\t    5581 inner+0x4 (/bin/cafe)\n\n            cafe  7706 60913.3:     100 cycles:u:      556275d1719a cl+0x2a (/bin/cafe)\n",
            &[("cl", 100.0), ("inner", 300.0)],
        );
    }

    #[test]
    fn what_was_inlined_is_the_outer_function() {
        are(
            "prog 12 100.5:     300 cycles:u: \n\t    5581 small (inlined)\n\t    5581 large+0x9 (/bin/prog)\n\t    5590 outer+0x9 (/bin/prog)\n\n",
            &[("large", 300.0)],
        );
    }

    #[test]
    fn lists_of_shares_are_no_script() {
        for text in [
            "50% eval_frame\n",
            "0.5 cafe\n",
            "  facade 0.5\n",
            "face\n",
            "   1234 eval_frame\n",
            "1234 f(int)\n",
        ] {
            assert!(!is_script(text), "{text}");
        }
    }

    #[test]
    fn a_line_of_any_length_takes_time_in_proportion() {
        for words in ["dead beef: ", "deadbeef\t", "+0x1 (/", "\t\t \t"] {
            assert!(costs(&words.repeat(300_000)).len() < 2);
        }
    }
}
