//! Text laid out in columns: widths, wrapping, and names that come from outside.

pub(crate) use proofmark_terms::printable;
use proofmark_terms::printable_line;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Stands between a number and its unit while text is wrapped, so that no line ends between them.
pub(crate) const TIE: char = '\u{a0}';

/// Text as it is printed: ties become spaces.
pub(crate) fn untied(text: &str) -> String {
    text.replace(TIE, " ")
}

/// Columns that `text` takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// `text` followed by spaces until it takes `columns`.
pub(crate) fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// What several lines say, an error with its next step, in one line. What a line announces by a
/// colon at its end follows it.
pub(crate) fn one_line(text: &str) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(|line| printable(line.trim()))
        .filter(|line| !line.is_empty())
        .collect();
    let mut said = String::new();
    for line in lines {
        if said.ends_with(':') {
            said.push(' ');
        } else if !said.is_empty() {
            said.push_str("; ");
        }
        said.push_str(&line);
    }
    said
}

/// Names by the reason that is given for them, in their order.
pub(crate) fn by_reason<'a>(
    cells: impl Iterator<Item = (&'a str, &'a str)>,
) -> Vec<(Vec<&'a str>, &'a str)> {
    let mut reasons: Vec<(Vec<&str>, &str)> = Vec::new();
    for (cell, why) in cells {
        match reasons.iter_mut().find(|(_, known)| *known == why) {
            Some((cells, _)) => cells.push(cell),
            None => reasons.push((vec![cell], why)),
        }
    }
    reasons
}

/// The ending of a noun for so many things.
pub(crate) fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// A name as it is printed, within so many columns; in full where another of them would look the
/// same.
pub(crate) fn shortened_among<'a>(
    name: &str,
    all: impl Iterator<Item = &'a str>,
    columns: usize,
) -> String {
    let brief = |name: &str| shortened(&printable(name), columns);
    let short = brief(name);
    let mut others = all.filter(|other| *other != name);
    if others.any(|other| brief(other) == short) {
        return printable(name);
    }
    short
}

/// `text` in at most `columns`, the middle left out where it is longer.
pub(crate) fn shortened(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(1);
    let begin = fitting(text.chars(), room.div_ceil(2));
    let end = fitting(text.chars().rev(), room / 2);
    format!("{begin}…{}", end.chars().rev().collect::<String>())
}

/// As many letters as fit into `columns`.
fn fitting(letters: impl Iterator<Item = char>, columns: usize) -> String {
    let mut used = 0;
    letters
        .take_while(|letter| {
            used += letter.width().unwrap_or(0);
            used <= columns
        })
        .collect()
}

/// Stands for a space inside of a command while text is wrapped, and is nothing that anybody
/// writes.
const HELD: char = '\u{e000}';

/// Text in whose commands, which stand in backticks, spaces are held: a command that is broken over
/// two lines cannot be pasted. One that does not fit on a line is left as it is.
fn held(text: &str, columns: usize) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let last = parts.len() - 1;
    // The last part is closed by no backtick.
    let is_command = |at: usize, part: &str| at % 2 == 1 && at < last && width(part) + 2 <= columns;
    let parts = parts.iter().enumerate().map(|(at, part)| {
        if is_command(at, part) {
            part.replace(' ', &HELD.to_string())
        } else {
            (*part).to_owned()
        }
    });
    parts.collect::<Vec<String>>().join("`")
}

/// Lines of at most `columns`, the first after `first` and the others after `rest`. What stands in
/// backticks stays on one line where it fits, and a percent sign with its number. Line feeds are
/// spelt, and all that is [unseen](proofmark_terms::is_unseen) but colours: what a text from outside
/// says is no line of ours.
pub(crate) fn wrapped(text: &str, columns: usize, first: &str, rest: &str) -> Vec<String> {
    let (text, first) = (printable_line(text), printable_line(first));
    let text = held(&text, columns.saturating_sub(width(rest))).replace(" %", &format!("{HELD}%"));
    let options = textwrap::Options::new(columns)
        .initial_indent(&first)
        .subsequent_indent(rest)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::wrap(&text, options)
        .iter()
        .map(|line| untied(&line.trim_end().replace(HELD, " ")))
        .collect()
}

/// Items joined by ` · `, broken between items where a line would take more than `columns`.
pub(crate) fn flowed(items: &[String], columns: usize, indent: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for item in items {
        match lines.last_mut() {
            Some(line) if width(line) + 3 + width(item) <= columns => {
                line.push_str(" · ");
                line.push_str(item);
            }
            _ => lines.push(format!("{indent}{item}")),
        }
    }
    let deeper = format!("{indent}  ");
    lines
        .iter()
        .flat_map(|line| wrapped(line.trim_start(), columns, indent, &deeper))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrapped_begins_no_line_of_its_own_and_keeps_its_colours() {
        let text = "\u{1b}[1mname\u{1b}[0m a\n# b\u{1b}[2J\u{202e}c";
        let lines = wrapped(text, 80, "", "");
        assert_eq!(
            lines,
            ["\u{1b}[1mname\u{1b}[0m a\\n# b\\u{1b}[2J\\u{202e}c"]
        );
    }

    #[test]
    fn long_names_keep_both_ends_and_wide_letters_count_twice() {
        assert_eq!(shortened("abcdefghij", 7), "abc…hij");
        assert_eq!(shortened("abcdefg", 7), "abcdefg");
        assert_eq!(shortened("日本語日本語", 7), "日…語");
        assert!(width(&shortened("日本語日本語", 8)) <= 8);
        let all = [
            "tail-on-the-loop",
            "tail-off-the-loop",
            "a-long-name-of-its-own",
        ];
        let among = |name| shortened_among(name, all.into_iter(), 13);
        assert_eq!(among("tail-on-the-loop"), "tail-on-the-loop");
        assert_eq!(among("a-long-name-of-its-own"), "a-long…ts-own");
    }

    #[test]
    fn a_number_stays_with_its_unit() {
        let text = format!("one 3.3{TIE}% two");
        assert_eq!(wrapped(&text, 8, "", ""), ["one", "3.3 %", "two"]);
        assert_eq!(wrapped("one 3.3 % two", 8, "", ""), ["one", "3.3 %", "two"]);
        assert_eq!(untied(&text), "one 3.3 % two");
    }

    #[test]
    fn a_command_stays_on_one_line_where_it_fits() {
        let text = "see `proofmark builds show x` for more, or `a b` and `it";
        assert_eq!(
            wrapped(text, 28, "", "  "),
            [
                "see",
                "  `proofmark builds show x`",
                "  for more, or `a b` and `it"
            ]
        );
        assert_eq!(
            wrapped(text, 20, "", ""),
            [
                "see `proofmark",
                "builds show x` for",
                "more, or `a b` and",
                "`it"
            ]
        );
    }

    #[test]
    fn items_are_broken_between_and_only_then_inside() {
        let items = [
            "aaaa".to_owned(),
            "bbbb".to_owned(),
            "cc cc cc cc".to_owned(),
        ];
        assert_eq!(flowed(&items, 12, " "), [" aaaa · bbbb", " cc cc cc cc"]);
        assert_eq!(
            flowed(&items, 9, " "),
            [" aaaa", " bbbb", " cc cc cc", "   cc"]
        );
    }
}
