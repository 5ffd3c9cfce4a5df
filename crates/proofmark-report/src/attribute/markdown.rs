//! An attribution for a pull request: the answer, a table, the rest folded.

use proofmark_evidence::RecordedAttribution;

use super::figures::{chance, interval, name};
use super::rows::{OTHERS, headline, lines, next, notes};
use crate::markup::escaped;
use crate::text::untied;

/// An attribution as Markdown (GitHub's); ends with a line feed.
#[must_use]
pub fn markdown(recorded: &RecordedAttribution) -> String {
    let attribution = &recorded.attribution;
    let Some(conclusion) = &recorded.conclusion else {
        return format!(
            "**Unfinished**: attribution of {}, {} blocks measured\n",
            escaped(&attribution.build.name),
            recorded.blocks.len()
        );
    };
    let mut out = vec![format!("**{}**", escaped(&headline(recorded, conclusion)))];
    if let Some(next) = next(recorded, conclusion) {
        out.push(String::new());
        out.push(format!("{}.", escaped(&next)));
    }
    if !conclusion.functions.is_empty() {
        let head = [
            "",
            "| place of | by itself | with others | chance |",
            "| --- | --- | --- | --- |",
        ];
        out.extend(head.map(str::to_owned));
    }
    for part in &conclusion.functions {
        let share = |share: &Option<_>| share.as_ref().map_or("–".to_owned(), interval);
        out.push(format!(
            "| {} | {} | {} | {} |",
            escaped(&name(attribution, part)),
            share(&part.first),
            share(&part.total),
            chance(part.by_chance.p_value)
        ));
    }
    if let Some(others) = &conclusion.others {
        let (first, total) = (interval(&others.first), interval(&others.total));
        out.push(format!("| {OTHERS} | {first} | {total} | |"));
    }
    for note in notes(recorded) {
        out.push(String::new());
        out.push(format!("> ⚠ {}", escaped(&note)));
    }
    out.extend(["", "<details><summary>How this was measured</summary>", ""].map(str::to_owned));
    let line = |line: &crate::line::Line| format!("* {}: {}", line.label, escaped(&line.words));
    out.extend(lines(recorded, conclusion).iter().map(line));
    out.push(format!("* attribution {}", recorded.id.short()));
    out.extend(["", "</details>"].map(str::to_owned));
    untied(&(out.join("\n") + "\n"))
}
