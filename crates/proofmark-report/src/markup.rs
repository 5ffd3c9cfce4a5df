//! Markdown (GitHub's): text from outside that stays text, code, and tables.

use crate::row::Row;
use crate::text::printable;

/// Lines below a finding, as a table; ends with an empty line.
pub(crate) fn rows_table<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<String> {
    let line = |row: &Row| {
        format!(
            "| {} | {} | {} |",
            row.label,
            row.value,
            escaped(&row.words)
        )
    };
    let head = ["| | new/base | |", "| --- | --- | --- |"].map(str::to_owned);
    head.into_iter()
        .chain(rows.map(line))
        .chain([String::new()])
        .collect()
}

/// Text from outside, with what Markdown or HTML would take for its own made plain, and nobody
/// called by their name. What stands between backticks, a command to be typed, stays code.
pub(crate) fn escaped(text: &str) -> String {
    let text = printable(text);
    let mut safe = String::new();
    let mut rest = text.as_str();
    while let Some((before, inside, after)) = first_code(rest) {
        safe.push_str(&plain(before));
        safe.push_str(&code(inside));
        rest = after;
    }
    safe + &plain(rest)
}

/// What stands before, in and behind the first two backticks that make code: nothing in it that a
/// table or another backtick would end.
fn first_code(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('`')?;
    let (inside, after) = rest.split_once('`')?;
    let sound = !inside.trim().is_empty() && !inside.contains('|') && !after.starts_with('`');
    sound.then_some((before, inside, after))
}

/// Text from outside without code in it.
fn plain(text: &str) -> String {
    let mut safe = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '@' if letters.peek().is_some_and(|next| next.is_alphanumeric()) => {
                safe.push_str("@<!-- -->");
            }
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' => safe.extend(['\\', letter]),
            _ => safe.push(letter),
        }
    }
    safe
}

/// Code in a line: fenced by more backticks than it holds in a row.
pub(crate) fn code(text: &str) -> String {
    let longest = text
        .split(|letter| letter != '`')
        .map(str::len)
        .max()
        .unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let gap = if longest > 0 { " " } else { "" };
    format!("{fence}{gap}{text}{gap}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_become_markup() {
        assert_eq!(escaped("a|b_<img>@all"), "a\\|b\\_&lt;img&gt;@<!-- -->all");
        assert_eq!(
            escaped("say `proofmark builds` to a`b"),
            "say `proofmark builds` to a\\`b"
        );
        assert_eq!(escaped("``"), "\\`\\`");
        assert_eq!(escaped("`` `a`"), "\\`\\` \\`a\\`");
        assert_eq!(escaped("`a|b`"), "\\`a\\|b\\`");
        assert_eq!(code("echo `date`"), "`` echo `date` ``");
        assert_eq!(code("plain"), "`plain`");
    }
}
