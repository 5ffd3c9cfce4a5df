//! An attribution on a terminal: the answer, a bar for each function, what there is to say.

use proofmark_evidence::RecordedAttribution;
use proofmark_evidence::record::{AttributionConclusion, FunctionPart, ShareFound};
use proofmark_hint::hint;

use super::figures::{chance, interval, name};
use super::rows::{OTHERS, headline, lines, next, notes};
use crate::number::duration;
use crate::style::{Style, Tone};
use crate::text::{padded, printable, shortened, wrapped};

/// Columns of a label.
const LABEL: usize = 13;
/// Columns of a function's name.
const NAME: usize = 19;
/// Columns of a share with its interval.
const SHARE: usize = 16;
/// Columns of a bar.
const BAR: usize = 11;

/// An attribution as text, no wider than 80 columns where the style asks for that.
#[must_use]
pub fn terminal(recorded: &RecordedAttribution, style: &Style) -> String {
    let Some(conclusion) = &recorded.conclusion else {
        let blocks = recorded.blocks.len();
        return format!(
            "attribution {}: interrupted after {blocks} blocks; the same command goes on from \
             there\n",
            recorded.id.short()
        );
    };
    let mut out = Vec::new();
    for line in wrapped(&headline(recorded, conclusion), style.columns(), "", "") {
        out.push(style.paint(Tone::Figure, &line));
    }
    if let Some(next) = next(recorded, conclusion) {
        out.push(printable(&next));
    }
    out.push(String::new());
    if !conclusion.functions.is_empty() {
        out.extend(table(recorded, conclusion, *style));
        out.push(String::new());
    }
    let said = lines(recorded, conclusion);
    let said = said.iter().map(|line| (line.label, line.words.as_str()));
    let notes = notes(recorded);
    let notes = notes.iter().map(|note| ("note", note.as_str()));
    for (label, words) in said.chain(notes) {
        let begin = format!("  {}", padded(label, LABEL));
        let hanging = " ".repeat(2 + LABEL);
        out.extend(wrapped(words, style.columns(), &begin, &hanging));
    }
    let id = recorded.id.short();
    let again = format!("every run: {}", hint("attribute --json --show", &[id]));
    out.push(String::new());
    out.push(style.paint(Tone::Aside, &again));
    out.push(String::new());
    out.join("\n")
}

fn table(
    recorded: &RecordedAttribution,
    conclusion: &AttributionConclusion,
    style: Style,
) -> Vec<String> {
    let head = format!(
        "  {}  {}  {}  {}  chance",
        padded("place of", NAME),
        padded("0 %    100 %", BAR + 1),
        padded("by itself", SHARE - 1),
        padded("with others", SHARE)
    );
    let mut out = vec![style.paint(Tone::Aside, &head)];
    for part in &conclusion.functions {
        let name = shortened(&name(&recorded.attribution, part), NAME);
        let share = |share: &Option<ShareFound>| share.as_ref().map_or("–".to_owned(), interval);
        let line = format!(
            "  {}  {}  {}  {}  {}",
            padded(&name, NAME),
            padded(&bar(part.first.as_ref()), BAR + 1),
            padded(&share(&part.first), SHARE - 1),
            padded(&share(&part.total), SHARE),
            chance(part.by_chance.p_value)
        );
        out.push(toned(style, part, &line));
    }
    if let Some(others) = &conclusion.others {
        let line = format!(
            "  {}  {}  {}  {}",
            padded(OTHERS, NAME),
            padded(&bar(Some(&others.first)), BAR + 1),
            padded(&interval(&others.first), SHARE - 1),
            interval(&others.total)
        );
        out.push(style.paint(Tone::Aside, &line));
    }
    out
}

fn toned(style: Style, part: &FunctionPart, line: &str) -> String {
    if part.named {
        style.paint(Tone::Figure, line)
    } else {
        line.to_owned()
    }
}

/// An interval from 0 to 100 %: `──●──`.
fn bar(share: Option<&ShareFound>) -> String {
    let Some(share) = share else {
        return String::new();
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and the length of the bar"
    )]
    let place = |share: f64| (share.clamp(0.0, 1.0) * (BAR - 1) as f64).round() as usize;
    let (low, at, high) = (place(share.low), place(share.share), place(share.high));
    (0..BAR)
        .map(|column| match column {
            column if column == at => '●',
            column if (low..=high).contains(&column) => '─',
            _ => '·',
        })
        .collect()
}

/// How far an attribution has come, in a line.
#[must_use]
pub fn progress(
    (done, planned): (usize, u32),
    (groups, functions): (usize, usize),
    elapsed_ms: u64,
) -> String {
    let took = duration(elapsed_ms);
    let what = if groups == functions {
        format!("{functions} functions, each by itself")
    } else {
        format!("{functions} functions in {groups} groups")
    };
    format!("block {done} of about {planned}: {what}, {took}")
}
