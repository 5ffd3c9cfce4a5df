//! A bisection for an issue: the answer and its commit, the steps folded.

use proofmark_evidence::RecordedBisect;
use proofmark_evidence::record::StepOf;

use super::answer::{headline, short};
use super::rows::{lines, outcome};
use crate::markup::{code, escaped};
use crate::text::untied;

/// A bisection as Markdown (GitHub's); ends with a line feed.
#[must_use]
pub fn markdown(recorded: &RecordedBisect) -> String {
    let Some(conclusion) = &recorded.conclusion else {
        return format!(
            "**Unfinished** bisection {}: {} steps\n",
            recorded.id.short(),
            recorded.steps.len()
        );
    };
    let mut out = vec![format!("**{}**", escaped(&headline(recorded, conclusion)))];
    out.push(String::new());
    for line in lines(recorded, conclusion) {
        let label = if line.label.is_empty() {
            String::new()
        } else {
            format!("{}: ", line.label)
        };
        out.push(format!("* {label}{}", escaped(&line.words)));
    }
    out.extend(["", "<details><summary>Steps</summary>", ""].map(str::to_owned));
    for step in &recorded.steps {
        let name = match step.of {
            StepOf::Ends => "ends".to_owned(),
            StepOf::Commit(place) => {
                let commit = place.of(&recorded.bisect.commits);
                code(commit.map_or("?", |one| short(&one.id)))
            }
        };
        out.push(format!("* {name}: {}", escaped(&outcome(&step.outcome))));
    }
    out.extend(["", "</details>"].map(str::to_owned));
    untied(&(out.join("\n") + "\n"))
}
