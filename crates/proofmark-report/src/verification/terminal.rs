//! Verified evidence on a terminal: the answer first, then chain by chain.

use proofmark_conclude::verify::VerifiedChain;

use super::rows::{
    NOT_PROVEN, Verified, as_recorded, enclosed, finding, implausible, otherwise, sort, verified,
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
    for chain in &all.found.later {
        let short: String = chain.id.as_str().chars().take(12).collect();
        let asked = match all.is_asked(chain) {
            true => ", and what this was made for",
            false => "",
        };
        let said = format!(
            "{} {short}: NOT VERIFIED: of a later version of proofmark{asked}; names and places of \
             its records are right",
            printable(&chain.kind)
        );
        lines.push(String::new());
        let said = wrapped(&said, style.columns(), "", "  ");
        lines.extend(said.iter().map(|line| style.paint(Tone::Worse, line)));
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
    let unchecked = found.as_recorded();
    let (words, tone) = if !found.holds() {
        (
            "NOT AS CLAIMED; what speaks against it stands below",
            Tone::Worse,
        )
    } else if all.is_unread() {
        (
            "NOT VERIFIED: what it was made for is of a later version of proofmark",
            Tone::Worse,
        )
    } else if !found.claims() {
        ("nothing is claimed", Tone::Worse)
    } else if unchecked.is_none() {
        ("all that is claimed follows from the samples", Tone::Better)
    } else {
        (
            "what is claimed follows from the samples and from what cannot be checked:",
            Tone::Better,
        )
    };
    let records = counted(found.records, "record", "records");
    let name = printable(all.name);
    let mut lines = vec![format!("{name}: {}", style.paint(tone, words))];
    if all.holds() && !unchecked.is_none() {
        lines.extend(wrapped(
            &as_recorded(unchecked),
            style.columns(),
            "  ",
            "  ",
        ));
    }
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
    let found = match chain.as_recorded {
        rest if rest.is_none() => finding(chain),
        rest => format!("{}; not checked: {}", finding(chain), as_recorded(rest)),
    };
    let found = wrapped(&found, columns, "  ", "  ");
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

#[cfg(test)]
mod tests {
    use proofmark_conclude::verify::{AsRecorded, Finding, Verification};
    use proofmark_evidence::{ChainId, ChainSort, LaterChain};
    use proofmark_terms::Digest;

    use super::super::rows::Signature;
    use super::*;

    fn first_lines(as_recorded: AsRecorded) -> String {
        let chain = VerifiedChain {
            id: "0".repeat(64),
            sort: ChainSort::Bisect,
            about: "6 states".to_owned(),
            blocks: 0,
            runs: 0,
            finding: Finding::AsClaimed { numbers: 27 },
            implausible: Vec::new(),
            as_recorded,
        };
        let found = Verification {
            records: 7,
            chains: vec![chain],
            later: Vec::new(),
        };
        lines_of(&found, &[], answer)
    }

    fn lines_of(
        found: &Verification,
        asked: &[Digest],
        lines: fn(&Verified<'_>, Style) -> Vec<String>,
    ) -> String {
        let all = Verified {
            name: "all.pmb",
            digest: None,
            signature: &Signature::None,
            found,
            asked,
            experiments: &[],
            enclosed: None,
        };
        let style = Style {
            colour: false,
            width: 100,
            terminal: false,
        };
        lines(&all, style).join("\n")
    }

    #[test]
    fn what_claims_nothing_or_cannot_be_read_is_not_said_to_follow_from_samples() {
        let nothing = Verification {
            records: 0,
            chains: Vec::new(),
            later: Vec::new(),
        };
        let said = lines_of(&nothing, &[], answer);
        assert!(said.starts_with("all.pmb: nothing is claimed\n"), "{said}");
        let id: ChainId = serde_json::from_value("5b".repeat(32).into()).unwrap();
        let later = Verification {
            later: vec![LaterChain {
                id: id.clone(),
                kind: "tuning".to_owned(),
            }],
            ..nothing
        };
        let said = lines_of(&later, &[id.digest().clone()], answer);
        assert!(said.starts_with("all.pmb: NOT VERIFIED"), "{said}");
        let whole = |all: &Verified<'_>, style| vec![terminal(all, &style)];
        let said = lines_of(&later, &[id.digest().clone()], whole);
        assert!(said.contains("tuning 5b5b5b5b5b5b: NOT VERIFIED"), "{said}");
        assert!(said.contains("what this was made for"), "{said}");
        let said = lines_of(&later, &[], whole);
        assert!(!said.contains("what this was made for"), "{said}");
    }

    #[test]
    fn the_headline_counts_what_cannot_be_checked() {
        let whole = first_lines(AsRecorded::default());
        assert!(
            whole.starts_with("all.pmb: all that is claimed follows from the samples\n"),
            "{whole}"
        );
        let part = first_lines(AsRecorded {
            same_programs: 4,
            skipped: 1,
            exits: 0,
        });
        assert!(
            part.starts_with(
                "all.pmb: what is claimed follows from the samples and from what cannot be \
                 checked:\n  4 builds said to be one program with another one, 1 commit said not \
                 to be measurable\n"
            ),
            "{part}"
        );
    }
}
