//! Sides that were forked off before the older end and merged since.

use proofmark_conclude::bisect::Search;
use proofmark_evidence::RecordedBisect;
use proofmark_evidence::record::StepOf;

use super::answer::short;
use crate::line::Line;
use crate::number::counted;

/// How many commits lie between the ends, the newer one included. Those at which a side was forked
/// off before the older end stand without parents in the record.
pub(super) fn range(recorded: &RecordedBisect) -> usize {
    let bisect = &recorded.bisect;
    let commits = bisect.commits.iter();
    let between = commits.filter(|one| !bisect.axis.is_commits() || !one.parents.is_empty());
    between.count()
}

/// Commits that say nothing of the range, by their places: where their side was forked off, it had
/// the newer end's level already.
pub(super) fn left_out(recorded: &RecordedBisect) -> Vec<usize> {
    let bisect = &recorded.bisect;
    let Ok(mut search) = Search::of(&bisect.older.id, &bisect.commits) else {
        return Vec::new();
    };
    if bisect.survey.is_some() {
        return Vec::new();
    }
    for step in &recorded.steps {
        if let StepOf::Commit(commit) = step.of {
            search.note(commit, &step.outcome);
        }
    }
    search.sides_left_out()
}

/// That they were left out.
pub(super) fn said(recorded: &RecordedBisect) -> Option<Line> {
    let bisect = &recorded.bisect;
    let places = left_out(recorded).into_iter();
    let out: Vec<_> = places
        .filter_map(|place| bisect.commits.get(place))
        .collect();
    let forks = out.iter().filter(|one| one.parents.is_empty());
    let forks: Vec<&str> = forks.map(|one| short(&one.id)).collect();
    if forks.is_empty() {
        return None;
    }
    let count = u32::try_from(out.len() - forks.len()).unwrap_or(u32::MAX);
    Some(Line::new(
        "left out",
        format!(
            "{} of a side that was forked off at {forks}, before {}: {forks} was like the newer end \
             already, so that they say nothing of what changed since",
            counted(count, "commit", "commits"),
            short(&bisect.older.id),
            forks = forks.join(" and "),
        ),
    ))
}
