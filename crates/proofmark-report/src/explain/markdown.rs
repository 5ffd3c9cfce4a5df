//! An explanation for a pull request: the paragraph, a table, the rest folded.

use proofmark_evidence::{Recorded, RecordedExplanation};

use super::explained::Explained;
use super::paragraph::sentences;
use super::rows::{COUNTS, PLACED, PLACES_HEAD, counts, notes, placed, places};
use crate::markup::escaped;
use crate::text::untied;

/// An explanation as Markdown (GitHub's); ends with a line feed.
#[must_use]
pub fn markdown(recorded: &RecordedExplanation, comparison: &Recorded) -> String {
    let Some(explained) = Explained::of(recorded, comparison) else {
        return format!(
            "**Unfinished**: explanation {}, {} blocks sampled\n",
            recorded.id.short(),
            recorded.blocks.len()
        );
    };
    let all = sentences(explained);
    let mut out = Vec::new();
    if let Some(first) = all.first() {
        out.push(format!("**First cause: {}.**", escaped(&first.words)));
        out.push(String::new());
    }
    for sentence in all.iter().skip(1) {
        out.push(format!(
            "* {}: {} *({})*",
            sentence.about,
            escaped(&sentence.words),
            escaped(&sentence.evidence)
        ));
    }
    out.push(String::new());
    out.extend(table(PLACES_HEAD, &places(explained)));
    out.extend(["", "<details><summary>What was counted</summary>", ""].map(str::to_owned));
    out.extend(table(COUNTS, &counts(explained)));
    out.push(String::new());
    out.extend(table(PLACED, &placed(explained)));
    out.extend(["", "</details>"].map(str::to_owned));
    for note in notes(explained) {
        out.push(String::new());
        out.push(format!("> {}", escaped(&note)));
    }
    untied(&(out.join("\n") + "\n"))
}

fn table(head: [&str; 5], rows: &[Vec<String>]) -> Vec<String> {
    if rows.is_empty() {
        return Vec::new();
    }
    let mut out = vec![
        format!("| {} |", head.join(" | ")),
        "| --- | ---: | ---: | --- | --- |".to_owned(),
    ];
    out.extend(rows.iter().map(|row| {
        let cells: Vec<String> = row.iter().map(|cell| escaped(cell)).collect();
        format!("| {} |", cells.join(" | "))
    }));
    out
}
