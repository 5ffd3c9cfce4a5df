//! A bisection on a terminal: the answer, what there is to say of it, the steps.

use proofmark_evidence::RecordedBisect;
use proofmark_evidence::record::{BisectAnswer, StepOf};

use super::answer::{headline, short};
use super::rows::{lines, outcome};
use crate::line::Line;
use crate::number::counted;
use crate::style::{Style, Tone};
use crate::text::{padded, untied, wrapped};

/// Columns of a label.
const LABEL: usize = 10;
/// Columns of a commit's name.
const NAME: usize = 14;

/// A bisection as text, no wider than the style asks for.
#[must_use]
pub fn terminal(recorded: &RecordedBisect, style: &Style) -> String {
    let Some(conclusion) = &recorded.conclusion else {
        let steps = u32::try_from(recorded.steps.len()).unwrap_or(u32::MAX);
        return format!(
            "bisection {}: interrupted after {}; the same command goes on from there\n",
            recorded.id.short(),
            counted(steps, "step", "steps")
        );
    };
    let tone = match conclusion.answer {
        BisectAnswer::Undecided | BisectAnswer::Among { .. } => Tone::Open,
        _ => Tone::Figure,
    };
    let answer = headline(recorded, conclusion);
    let mut out: Vec<String> = wrapped(&answer, style.columns(), "", "")
        .iter()
        .map(|line| style.paint(tone, line))
        .collect();
    out.push(String::new());
    for Line { label, words } in lines(recorded, conclusion) {
        let begin = format!("  {}", padded(label, LABEL));
        let hanging = " ".repeat(2 + LABEL);
        out.extend(wrapped(&words, style.columns(), &begin, &hanging));
    }
    out.push(String::new());
    for step in &recorded.steps {
        let name = match step.of {
            StepOf::Ends => "ends",
            StepOf::Commit(place) => {
                let commit = place.of(&recorded.bisect.commits);
                commit.map_or("?", |one| short(&one.id))
            }
        };
        let begin = format!("  {}", padded(name, NAME));
        let hanging = " ".repeat(2 + NAME);
        out.extend(wrapped(
            &outcome(&step.outcome),
            style.columns(),
            &begin,
            &hanging,
        ));
    }
    untied(&(out.join("\n") + "\n"))
}
