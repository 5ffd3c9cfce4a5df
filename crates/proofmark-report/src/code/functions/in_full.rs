//! One function in full: every fact, its callees, and its disassembly if asked for.

use proofmark_code::listing::Line;
use proofmark_code::{Fact, FunctionFacts, SourceLine};

use crate::number::grouped;
use crate::style::{Style, Tone};
use crate::text::{padded, plural, printable, wrapped};

/// So many callees are listed.
const CALLEES: usize = 20;

/// A function with all that is shown of it.
#[derive(Debug)]
pub struct InFull<'a> {
    /// The function with its facts.
    pub row: FunctionFacts<'a>,
    /// Where it begins in its source, where that is known.
    pub source: Option<SourceLine>,
    /// Its disassembly, if it was asked for.
    pub listing: Option<Vec<Line>>,
}

/// One function in full.
#[must_use]
pub fn in_full(shown: &InFull<'_>, style: &Style) -> String {
    let row = &shown.row;
    let mut text = heading(row, shown.source.as_ref(), style);
    for (fact, number) in row.facts.iter().filter(|(_, n)| *n > 0) {
        let count = format!("  {} {:>9}  ", padded(fact.name(), 20), grouped(number));
        text.push_str(&with_meaning(&count, fact.meaning(), style));
    }
    let none: Vec<&str> = row
        .facts
        .iter()
        .filter(|(_, n)| *n == 0)
        .map(|(f, _)| f.name())
        .collect();
    if !none.is_empty() {
        for line in wrapped(&none.join(", "), style.columns(), "  0 of: ", "        ") {
            text.push_str(&style.paint(Tone::Aside, &line));
            text.push('\n');
        }
    }
    let extensions: Vec<&str> = row.facts.extensions().names().collect();
    if !extensions.is_empty() {
        text.push_str(&format!("  needs {}\n", extensions.join(", ")));
    }
    text.push_str(&sets(row));
    text.push_str(&callees(row, style));
    if let Some(lines) = &shown.listing {
        text.push('\n');
        text.push_str(&disassembly(row, lines, style));
    }
    text
}

/// A count and what it is of; on a terminal, under each other where one line has no room for both.
fn with_meaning(count: &str, meaning: &str, style: &Style) -> String {
    let columns = if style.terminal {
        style.columns().saturating_sub(count.len())
    } else {
        usize::MAX
    };
    let mut text = String::new();
    for (i, line) in wrapped(meaning, columns, "", "").iter().enumerate() {
        let before = if i == 0 {
            count
        } else {
            &padded("", count.len())
        };
        text.push_str(&format!("{before}{}\n", style.paint(Tone::Aside, line)));
    }
    text
}

fn heading(row: &FunctionFacts<'_>, source: Option<&SourceLine>, style: &Style) -> String {
    let function = row.function();
    let name = printable(&function.name());
    let mut text = style.paint(Tone::Figure, &name);
    let section = printable(row.image.section_of(function));
    let address = row.image.shown(function.address());
    text.push_str(&format!("  {address} in {section}, {}", row.image.arch()));
    if let Some(member) = row.image.member() {
        text.push_str(&format!(", member {}", printable(member)));
    }
    text.push('\n');
    if function.is_named() && function.symbol() != function.name() {
        text.push_str(&format!("  symbol {}\n", printable(&function.symbol())));
    }
    let aliases: Vec<String> = function.aliases().map(printable).collect();
    if !aliases.is_empty() {
        text.push_str(&format!("  also {}\n", aliases.join(", ")));
    }
    if let Some(parent) = function.parent().map(|p| &row.image.functions()[p]) {
        let how = if function.is_piece() {
            "split off from"
        } else {
            "made from"
        };
        text.push_str(&format!("  {how} {}\n", printable(&parent.name())));
    }
    let parts = row
        .image
        .functions()
        .iter()
        .filter(|f| f.parent() == Some(row.index));
    for part in parts {
        text.push_str(&format!(
            "  has {} at {}, {} bytes\n",
            printable(&part.name()),
            row.image.shown(part.address()),
            part.size()
        ));
    }
    if let Some(source) = source {
        text.push_str(&format!("  source {}\n", printable(&source.to_string())));
    }
    text
}

/// The cache sets that it covers, as a range that may wrap around.
fn sets(row: &FunctionFacts<'_>) -> String {
    let count = row.facts.get(Fact::L1iSets);
    if count >= 64 {
        return "  covers all 64 sets of a 32 KiB level-1 instruction cache\n".to_string();
    }
    let first = row.function().address().get() / 64 % 64;
    let last = (first + count.saturating_sub(1)) % 64;
    let which = if first == last {
        format!("set {first}")
    } else {
        format!("sets {first} to {last}")
    };
    format!("  covers {which} of 64 of a 32 KiB level-1 instruction cache\n")
}

fn callees(row: &FunctionFacts<'_>, style: &Style) -> String {
    let mut callees: Vec<(String, u64)> = row.facts.callees(row.image).into_iter().collect();
    if callees.is_empty() {
        return String::new();
    }
    callees.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let known = callees.len();
    let mut text = format!("  calls {known} known function{}\n", plural(known));
    for (name, sites) in callees.iter().take(CALLEES) {
        text.push_str(&format!("  {:>6}  {}\n", grouped(*sites), printable(name)));
    }
    if callees.len() > CALLEES {
        text.push_str(&style.paint(
            Tone::Aside,
            &format!(
                "          and {} more; --json has all\n",
                callees.len() - CALLEES
            ),
        ));
    }
    text
}

/// The annotated disassembly: a rule where a 64-byte line begins, marks where a branch crosses one,
/// the source in between.
fn disassembly(row: &FunctionFacts<'_>, lines: &[Line], style: &Style) -> String {
    const MARKS: &str = "┄ a 64-byte line begins   > a branch leads here   \
        !64 !32 a branch crosses or ends on such a line";
    let mut text = String::new();
    for line in wrapped(MARKS, style.columns(), "", "  ") {
        text.push_str(&style.paint(Tone::Aside, &line));
        text.push('\n');
    }
    for line in lines {
        if let Some(source) = &line.source {
            text.push_str(&style.paint(
                Tone::Aside,
                &format!("; {}\n", printable(&source.to_string())),
            ));
        }
        let rule = if line.begins_line { '┄' } else { ' ' };
        let target = if line.is_target { '>' } else { ' ' };
        let crosses = match line.crosses {
            0 => "   ".to_string(),
            width => style.paint(Tone::Open, &format!("!{width}")),
        };
        let bytes: Vec<String> = line
            .bytes
            .iter()
            .take(10)
            .map(|b| format!("{b:02x}"))
            .collect();
        let address = row.image.shown(line.address);
        let bytes = style.paint(Tone::Aside, &padded(&bytes.join(" "), 30));
        text.push_str(&format!(
            "{rule}{target}{crosses} {:>8x}: {bytes} {}\n",
            address.get(),
            printable(&line.text)
        ));
    }
    text
}
