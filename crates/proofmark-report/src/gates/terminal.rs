//! Gates on a terminal: each build with what its gates say, and below it what differs.

use proofmark_evidence::record::GateFound;

use super::rows::{by_gate, differs};
use crate::style::{Style, Tone};
use crate::text::{printable, untied, wrapped};

/// Every gate with every build; ends with a line feed.
#[must_use]
pub fn terminal(found: &[GateFound], style: &Style) -> String {
    let mut lines = Vec::new();
    for (gate, all) in by_gate(found) {
        lines.push(style.paint(Tone::Figure, &format!("gate {}", printable(gate))));
        for one in all {
            let (word, tone) = match one.passed {
                true => ("pass", Tone::Even),
                false => ("FAIL", Tone::Worse),
            };
            let text = format!("{}: {}", printable(&one.cell), printable(&one.said));
            let mut text = wrapped(&text, style.columns().saturating_sub(8), "", "  ").into_iter();
            let first = text.next().unwrap_or_default();
            lines.push(format!("  {}  {first}", style.paint(tone, word)));
            lines.extend(text.map(|line| format!("        {line}")));
            for line in differs(one) {
                lines.extend(wrapped(
                    &line,
                    style.columns(),
                    "          ",
                    "            ",
                ));
            }
            // Of the others it is the same.
            let flaky = one.flaky.iter().filter(|_| one.said.starts_with("base: "));
            for test in flaky {
                lines.push(format!("          varies by itself: {}", printable(test)));
            }
        }
    }
    if found.is_empty() {
        lines.push("no build, so that no gate was run".to_owned());
    }
    untied(&(lines.join("\n") + "\n"))
}
