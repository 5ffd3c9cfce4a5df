//! What is written to standard output and to standard error.

use std::io::Write as _;

use anyhow::Context as _;
use proofmark_terms::{is_unseen, printable_lines};

use crate::exit::Exit;

/// Writes to standard output, with what would move the cursor or turn the order of reading spelt:
/// names and reasons may come from a bundle of a stranger. A reader that has gone (`| head`) is not
/// an error.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out
        .write_all(printable_lines(text).as_bytes())
        .and_then(|()| out.flush())
    {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to standard output"),
    }
}

/// Writes a JSON document to standard output.
pub(crate) fn print_json(value: &serde_json::Value) -> anyhow::Result<()> {
    print(&ascii_where_unseen(&format!("{value:#}\n")))
}

/// JSON that says the same, and moves no cursor: its strings may hold the characters of C1 and those
/// that turn the order of reading as they are. Line feeds are those between values.
fn ascii_where_unseen(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for letter in json.chars() {
        if is_unseen(letter) && letter != '\n' {
            safe.push_str(&format!("\\u{:04x}", u32::from(letter)));
        } else {
            safe.push(letter);
        }
    }
    safe
}

/// Writes a schema to standard output.
pub(crate) fn print_schema(name: &str) -> anyhow::Result<Exit> {
    let schema = proofmark_report::schema(name).context("this schema is not published")?;
    print_json(&schema)?;
    Ok(Exit::Done)
}

/// Writes a line to standard error. Nobody can be told when that fails.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", printable_lines(line));
}

/// Writes an error, with its causes, to standard error.
pub(crate) fn complain(error: &anyhow::Error) {
    let mut text = format!("proofmark: {error}\n");
    let mut said = error.to_string();
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        // Errors that wrap another often repeat its words.
        if !said.contains(&cause) {
            text.push_str(&format!("  because: {cause}\n"));
            said = cause;
        }
    }
    let _ = std::io::stderr().write_all(printable_lines(&text).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_says_the_same_and_moves_no_cursor() {
        let value = serde_json::json!({ "na\u{9b}me": ["\u{202e}\u{1b}[2J\n\u{ffff}é"] });
        let text = ascii_where_unseen(&format!("{value:#}\n"));
        assert!(!text.replace('\n', "").contains(is_unseen), "{text}");
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            value
        );
    }
}
