//! What is written to standard output and to standard error.

use std::io::Write as _;

use anyhow::Context as _;

use crate::exit::Exit;

/// Writes to standard output. A reader that has gone (`| head`) is not an error.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to standard output"),
    }
}

/// Writes a JSON document to standard output.
pub(crate) fn print_json(value: &serde_json::Value) -> anyhow::Result<()> {
    print(&format!("{value:#}\n"))
}

/// Writes a schema to standard output.
pub(crate) fn print_schema(name: &str) -> anyhow::Result<Exit> {
    let schema = proofmark_report::schema(name).context("this schema is not published")?;
    print_json(&schema)?;
    Ok(Exit::Done)
}

/// Writes a line to standard error. Nobody can be told when that fails.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
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
    let _ = std::io::stderr().write_all(text.as_bytes());
}
