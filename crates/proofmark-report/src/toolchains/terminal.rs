//! Toolchains on a terminal: found where, version, target, linker, hash; and what is missing with
//! the command that gets it.

use super::rows::{Found, ToolchainFound, compiler};
use crate::style::{Style, Tone};
use crate::table::table;
use crate::text::{printable, untied, wrapped};

/// Letters of a hash that are shown.
const HASH: usize = 8;

/// Every toolchain, those that can be used in a table and the others below; ends with a line feed.
#[must_use]
pub fn terminal(found: &[Found], style: &Style) -> String {
    let mut lines = Vec::new();
    let usable: Vec<(&str, &ToolchainFound)> = found
        .iter()
        .filter_map(|one| Some((one.name.as_str(), one.toolchain.as_ref().ok()?)))
        .collect();
    if !usable.is_empty() {
        let rows = usable.iter().map(|(name, of)| row(name, of).to_vec());
        let header = ["toolchain", "compiler", "target", "linker", "hash"];
        lines.extend(table(*style, 2, &header, rows));
        lines.push(String::new());
    }
    for (name, of) in usable {
        lines.extend(wrapped(&place(name, of), style.columns(), "", "  "));
    }
    for (name, problem) in found
        .iter()
        .filter_map(|one| Some((&one.name, one.toolchain.as_ref().err()?)))
    {
        let text = printable(problem);
        let text = text
            .strip_prefix(&format!("toolchain `{name}` "))
            .map_or_else(|| text.clone(), |rest| format!("{name} {rest}"));
        let wrapped = wrapped(&text, style.columns(), "", "  ");
        lines.extend(wrapped.iter().map(|line| style.paint(Tone::Open, line)));
    }
    if found.is_empty() {
        lines.push("no toolchains".to_owned());
    }
    untied(&(lines.join("\n") + "\n"))
}

fn row(name: &str, of: &ToolchainFound) -> [String; 5] {
    let hash: String = of.hash.chars().take(HASH).collect();
    [
        printable(name),
        compiler(&of.reported, &of.version),
        of.target.clone(),
        linker(&of.linker),
        hash,
    ]
}

/// `GNU ld (GNU Binutils for Debian) 2.40` → `GNU ld 2.40`.
fn linker(said: &str) -> String {
    let said = printable(said);
    match (said.find(" ("), said.rfind(')')) {
        (Some(from), Some(to)) if from < to => {
            let version = said.get(to + 1..).unwrap_or_default().trim();
            // lld says what it is compatible with in brackets, last.
            let name = said.get(..from).unwrap_or_default();
            format!("{name} {version}").trim().to_owned()
        }
        _ => said,
    }
}

/// Where it is, and what it switches on by itself.
fn place(name: &str, of: &ToolchainFound) -> String {
    let mut text = format!("{}: {}", printable(name), of.driver);
    if let Some(package) = &of.package {
        text.push_str(&format!(", from {package}"));
    }
    if !of.defaults.is_empty() {
        text.push_str(&format!("; by default: {}", of.defaults.join(", ")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::linker;

    #[test]
    fn linkers_are_named_shortly() {
        assert_eq!(
            linker("GNU ld (GNU Binutils for Debian) 2.40"),
            "GNU ld 2.40"
        );
        assert_eq!(
            linker("Debian LLD 19.1.7 (compatible with GNU linkers)"),
            "Debian LLD 19.1.7"
        );
        assert_eq!(linker("mold 2.3"), "mold 2.3");
    }
}
