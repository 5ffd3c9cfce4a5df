//! Verified evidence on a terminal: the answer first, then chain by chain.

use proofmark_conclude::verify::VerifiedChain;

use super::rows::{
    NOT_PROVEN, Verified, enclosed, finding, implausible, otherwise, sort, verified,
};
use crate::experiments::verdicts;
use crate::number::counted;
use crate::style::{Style, Tone};
use crate::text::{printable, untied, wrapped};

/// Most lines of what speaks against one chain.
const MOST: usize = 12;

/// What was found; ends with a line feed.
#[must_use]
pub fn terminal(all: &Verified<'_>, style: &Style) -> String {
    let style = *style;
    let mut lines = answer(all, style);
    for chain in &all.found.chains {
        lines.push(String::new());
        lines.extend(of_chain(all, chain, style));
    }
    lines.push(String::new());
    for note in [verified().as_str(), NOT_PROVEN] {
        let wrapped = wrapped(note, style.columns(), "", "  ");
        lines.extend(wrapped.iter().map(|line| style.paint(Tone::Aside, line)));
    }
    untied(&(lines.join("\n") + "\n"))
}

fn answer(all: &Verified<'_>, style: Style) -> Vec<String> {
    let found = all.found;
    let (words, tone) = if found.holds() {
        ("all that is claimed follows from the samples", Tone::Better)
    } else {
        (
            "NOT AS CLAIMED; what speaks against it stands below",
            Tone::Worse,
        )
    };
    let records = counted(found.records, "record", "records");
    let name = printable(all.name);
    let mut lines = vec![format!("{name}: {}", style.paint(tone, words))];
    let digest = all.digest.map(|digest| format!(", content {digest}"));
    let about = format!("{records}{}", digest.unwrap_or_default());
    lines.extend(wrapped(&about, style.columns(), "  ", "  "));
    if let Some(found) = all.enclosed {
        lines.extend(wrapped(&enclosed(found), style.columns(), "  ", "  "));
    }
    if let Some(said) = all.signature.said() {
        lines.extend(wrapped(&said, style.columns(), "  ", "  "));
    }
    lines
}

fn of_chain(all: &Verified<'_>, chain: &VerifiedChain, style: Style) -> Vec<String> {
    let short: String = chain.id.chars().take(12).collect();
    let size = if chain.blocks > 0 {
        format!(
            " ({}, {} runs)",
            counted(chain.blocks, "block", "blocks"),
            chain.runs
        )
    } else {
        String::new()
    };
    let head = format!(
        "{} {short}: {}{size}",
        sort(chain.sort),
        printable(&chain.about)
    );
    let columns = style.columns();
    let mut lines = wrapped(&head, columns, "", "  ");
    let experiments = all.experiments.iter();
    let summary = experiments.filter(|summary| summary.id.as_str() == chain.id);
    lines.extend(
        summary
            .flat_map(verdicts)
            .flat_map(|verdict| wrapped(&verdict, columns, "  ", "  ")),
    );
    let tone = if chain.holds() {
        Tone::Better
    } else {
        Tone::Worse
    };
    let found = wrapped(&finding(chain), columns, "  ", "  ");
    lines.extend(found.iter().map(|line| style.paint(tone, line)));
    let against: Vec<String> = otherwise(chain)
        .into_iter()
        .chain(chain.implausible.iter().map(implausible))
        .collect();
    for line in against.iter().take(MOST) {
        lines.extend(wrapped(line, columns, "  ! ", "    "));
    }
    if against.len() > MOST {
        lines.push(format!(
            "  ! and {} more; --json has all",
            against.len() - MOST
        ));
    }
    lines
}
