//! An explanation on a terminal: the paragraph, what was counted, where the time is.

use proofmark_evidence::{Recorded, RecordedExplanation};
use proofmark_hint::hint;

use super::explained::Explained;
use super::paragraph::sentences;
use super::rows::{COUNTS, PLACED, PLACES_HEAD, counts, notes, placed, places};
use crate::number::duration;
use crate::style::{Style, Tone};
use crate::table::table;
use crate::text::wrapped;

/// An explanation as text, no wider than the style asks for.
#[must_use]
pub fn terminal(recorded: &RecordedExplanation, comparison: &Recorded, style: &Style) -> String {
    let Some(explained) = Explained::of(recorded, comparison) else {
        return format!(
            "explanation {}: interrupted after {} blocks; the same command goes on from there\n",
            recorded.id.short(),
            recorded.blocks.len()
        );
    };
    let columns = style.columns();
    let mut out = Vec::new();
    let all = sentences(explained);
    let mut paragraph = all.iter().enumerate();
    if let Some((_, first)) = paragraph.next() {
        let words = format!("First cause: {}.", first.words);
        for line in wrapped(&words, columns, "", "") {
            out.push(style.paint(Tone::Figure, &line));
        }
    }
    let others: Vec<String> = paragraph
        .map(|(number, sentence)| format!("{} [{number}].", capital(&sentence.words)))
        .collect();
    out.extend(wrapped(&others.join(" "), columns, "", ""));
    out.push(String::new());
    for (number, sentence) in all.iter().enumerate().skip(1) {
        let begin = format!("  [{number}] {}: ", sentence.about);
        out.extend(wrapped(&sentence.evidence, columns, &begin, "      "));
    }
    for (head, rows) in [
        (COUNTS, counts(explained)),
        (PLACES_HEAD, places(explained)),
        (PLACED, placed(explained)),
    ] {
        if !rows.is_empty() {
            out.push(String::new());
            out.extend(table(*style, 1, &head, rows));
        }
    }
    out.push(String::new());
    for note in notes(explained) {
        out.extend(wrapped(&note, columns, "  note  ", "        "));
    }
    let id = recorded.id.short();
    let again = format!("all of it: {}", hint("explain --json --show", &[id]));
    out.push(style.paint(Tone::Aside, &again));
    out.push(String::new());
    out.join("\n")
}

/// With a capital at its beginning.
fn capital(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next();
    first.map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// A line about how far it has come.
#[must_use]
pub fn progress((done, planned): (u32, u32), elapsed_ms: u64) -> String {
    format!(
        "block {done} of {planned} sampled, {}",
        duration(elapsed_ms)
    )
}
