//! Text from outside made safe to show: what would move the cursor, clear the screen, begin a line
//! or turn the order of reading is spelt. A bundle of a stranger may hold any of it, and so may the
//! name of a function.

use std::borrow::Cow;

/// Text from outside as it is shown within a line: what [`is_unseen`] is spelt, line feeds too.
///
/// ```
/// use proofmark_terms::printable;
///
/// assert_eq!(printable("a\u{1b}[2J\nb\u{202e}c"), "a\\u{1b}[2J\\nb\\u{202e}c");
/// ```
#[must_use]
pub fn printable(text: &str) -> String {
    spelt(text, |_| 0)
}

/// A line as it is shown that may be painted: as [`printable`], but for the colours that our own
/// styles make.
#[must_use]
pub fn printable_line(text: &str) -> Cow<'_, str> {
    if text.contains(is_unseen) {
        Cow::Owned(spelt(text, paint))
    } else {
        Cow::Borrowed(text)
    }
}

/// Lines that are laid out and painted already, as they are written to a terminal: the last net for
/// what nobody made [`printable`] before. Line feeds and tabs stay as well.
#[must_use]
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    let layout = |rest: &str| match rest.as_bytes() {
        [b'\n' | b'\t', ..] => 1,
        _ => paint(rest),
    };
    if text.contains(is_unseen) {
        Cow::Owned(spelt(text, layout))
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether a character shows nothing of its own, and does something to what stands around it: a
/// control character, an end of a line, a mark that turns the order of reading, a character without
/// width, or one that is none.
///
/// The joiners (U+200C, U+200D) are among them. Words of some scripts and some emoji need them, and
/// are shown with their number here: two names that differ in them alone would look the same.
#[must_use]
pub fn is_unseen(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{61c}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{fffe}'
                | '\u{ffff}'
        )
}

/// Text with what is unseen spelt, but for as many bytes as `kept` says of the text from there on.
fn spelt(text: &str, kept: impl Fn(&str) -> usize) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(is_unseen) {
        let (before, from) = rest.split_at(at);
        safe.push_str(before);
        let (own, behind) = from.split_at(kept(from));
        safe.push_str(own);
        let mut letters = behind.chars();
        if own.is_empty()
            && let Some(letter) = letters.next()
        {
            safe.extend(letter.escape_default());
        }
        rest = letters.as_str();
    }
    safe.push_str(rest);
    safe
}

/// How many bytes a sequence takes that paints, at the beginning of a text; 0 where there is none.
fn paint(text: &str) -> usize {
    const BEGIN: &str = "\u{1b}[";
    let codes = text
        .strip_prefix(BEGIN)
        .and_then(|rest| rest.split_once('m'))
        .map(|(codes, _)| codes)
        .filter(|codes| is_paint(codes));
    codes.map_or(0, |codes| BEGIN.len() + codes.len() + 1)
}

/// Whether codes are of our own styles: bold, faint, a colour of the letters or of their ground, or
/// the end of it. None of these hides text, as others do.
fn is_paint(codes: &str) -> bool {
    let is_mixed = ["38;2;", "48;2;"].iter().any(|begin| {
        let parts = codes.strip_prefix(begin).map(|rest| rest.split(';'));
        parts.is_some_and(|parts| {
            parts.clone().count() == 3 && parts.into_iter().all(|part| part.parse::<u8>().is_ok())
        })
    });
    is_mixed || matches!(codes.as_bytes(), [b'0'..=b'2'] | [b'3', b'0'..=b'7'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_the_cursor_or_turns_the_order_of_reading_is_spelt() {
        assert_eq!(printable("a\x1b[2Jb\nc\u{9b}é"), "a\\u{1b}[2Jb\\nc\\u{9b}é");
        let unseen = "\u{61c}\u{200b}\u{200c}\u{200d}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\
                      \u{202e}\u{2060}\u{2066}\u{2069}\u{feff}\u{ffff}\r\t\u{7f}";
        for letter in unseen.chars() {
            let shown = printable(&format!("a{letter}b"));
            assert_eq!(shown, format!("a{}b", letter.escape_default()));
            assert_eq!(printable(&shown), shown);
        }
    }

    #[test]
    fn letters_signs_and_spaces_of_all_scripts_stay() {
        let seen = "naïve 日本語 עברית العربية ±−×→…‐–\u{a0}\u{202f}\u{fffd}🙂";
        assert_eq!(printable(seen), seen);
        assert!(matches!(printable_lines(seen), Cow::Borrowed(_)));
    }

    #[test]
    fn a_page_keeps_its_lines_and_our_own_colours_alone() {
        let own = "\u{1b}[1m\u{1b}[32mfaster\u{1b}[0m\n\ta\u{1b}[38;2;1;20;255m \u{1b}[48;2;0;0;0m";
        assert_eq!(printable_lines(own), own);
        for strange in [
            "\u{1b}[2J",
            "\u{1b}[H",
            "\u{1b}[8m",
            "\u{1b}[7m",
            "\u{1b}[1;8m",
            "\u{1b}[38;2;1;2m",
            "\u{1b}[38;2;1;2;256m",
            "\u{1b}]0;title\u{7}",
            "\u{1b}",
            "\u{1b}[3",
            "\u{9b}2J",
            "\r",
            "\u{202e}",
        ] {
            let shown = printable_lines(strange);
            assert!(!shown.contains(is_unseen), "{shown}");
        }
    }

    #[test]
    fn a_line_that_is_painted_ends_nowhere() {
        let line = "\u{1b}[2ma\nb\u{1b}[0m\tc";
        assert_eq!(printable_line(line), "\u{1b}[2ma\\nb\u{1b}[0m\\tc");
    }
}
