//! A bisection as a log that `git bisect replay` takes.

use proofmark_evidence::RecordedBisect;
use proofmark_evidence::record::{BisectAnswer, End, StepOf};
use proofmark_terms::Commit;

use super::sides::left_out;
use crate::text::printable;

/// The log: a line for each commit that was judged, in the order of judgement, with what it is as a
/// remark before it. Not of sides that say nothing of the range.
#[must_use]
pub fn log(recorded: &RecordedBisect) -> String {
    let bisect = &recorded.bisect;
    let mut out = String::from("git bisect start");
    if bisect.first_parent {
        out.push_str(" '--first-parent'");
    }
    out.push('\n');
    let mut say = |word: &str, commit: &Commit| {
        let subject = printable(&commit.subject);
        out.push_str(&format!("# {word}: [{}] {subject}\n", commit.id));
        out.push_str(&format!("git bisect {word} {}\n", commit.id));
    };
    if let Some(newest) = bisect.commits.last() {
        say("bad", newest);
    }
    say("good", &bisect.older);
    // To git the first bad commit would be there, or before the good end.
    let left_out = left_out(recorded);
    for step in &recorded.steps {
        let StepOf::Commit(place) = step.of else {
            continue;
        };
        if left_out.contains(&place.place()) {
            continue;
        }
        if let Some(commit) = place.of(&bisect.commits) {
            let word = match step.outcome.like() {
                Some(End::Older) => "good",
                Some(End::Newer) => "bad",
                None => "skip",
            };
            say(word, commit);
        }
    }
    let answer = recorded.conclusion.as_ref().map(|one| &one.answer);
    if let Some(BisectAnswer::Found { commit }) = answer
        && let Some(commit) = commit.of(&bisect.commits)
    {
        let subject = printable(&commit.subject);
        out.push_str(&format!("# first bad commit: [{}] {subject}\n", commit.id));
    }
    out
}
