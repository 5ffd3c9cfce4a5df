//! Text laid out in columns: widths, wrapping, and names that come from outside.

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

/// Text from outside made safe to print on one line: control characters, which could move the cursor or colour the screen, are spelt.
pub(crate) fn printable(text: &str) -> String {
    text.chars()
        .flat_map(|letter| {
            let spelt = letter.is_control().then(|| letter.escape_default());
            let itself = spelt.is_none().then_some(letter);
            spelt.into_iter().flatten().chain(itself)
        })
        .collect()
}

/// What several lines say, an error with its next step, in one line.
pub(crate) fn one_line(text: &str) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(|line| printable(line.trim()))
        .filter(|line| !line.is_empty())
        .collect();
    lines.join("; ")
}

/// The ending of a noun for so many things.
pub(crate) fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
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

/// Lines of at most `columns`, the first after `first` and the others after `rest`.
pub(crate) fn wrapped(text: &str, columns: usize, first: &str, rest: &str) -> Vec<String> {
    let options = textwrap::Options::new(columns)
        .initial_indent(first)
        .subsequent_indent(rest)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::wrap(text, options)
        .iter()
        .map(|line| line.trim_end().to_owned())
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
    fn names_from_outside_cannot_move_the_cursor() {
        assert_eq!(printable("a\x1b[2Jb\nc\u{9b}é"), "a\\u{1b}[2Jb\\nc\\u{9b}é");
    }

    #[test]
    fn long_names_keep_both_ends_and_wide_letters_count_twice() {
        assert_eq!(shortened("abcdefghij", 7), "abc…hij");
        assert_eq!(shortened("abcdefg", 7), "abcdefg");
        assert_eq!(shortened("日本語日本語", 7), "日…語");
        assert!(width(&shortened("日本語日本語", 8)) <= 8);
    }

    #[test]
    fn a_number_stays_with_its_unit() {
        let text = format!("one 3.3{TIE}% two");
        assert_eq!(
            wrapped(&text, 8, "", ""),
            ["one", &format!("3.3{TIE}%"), "two"]
        );
        assert_eq!(untied(&text), "one 3.3 % two");
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
