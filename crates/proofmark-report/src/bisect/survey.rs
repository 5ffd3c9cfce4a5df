//! What stands below the answer where every change was looked for.

use proofmark_evidence::RecordedBisect;
use proofmark_evidence::record::{BisectConclusion, BisectStep, ChangeFound, StepOutcome, Stretch};
use proofmark_terms::StateIndex;

use super::answer::{nouns, short};
use super::lines::{among, code, effect, of_state};
use crate::line::Line;
use crate::number::counted;

/// The changes one after the other, and what may have been missed.
pub(super) fn survey(recorded: &RecordedBisect, conclusion: &BisectConclusion) -> Vec<Line> {
    let Some(survey) = &conclusion.survey else {
        return Vec::new();
    };
    let changes = survey.changes.iter();
    let mut lines: Vec<Line> = changes.flat_map(|one| change(recorded, one)).collect();
    for one in &survey.gradual {
        let words = "differ, and no step between them reaches the margin: it goes by and by";
        lines.push(Line::new(
            "gradual",
            format!("{} {words}", ends(recorded, one)),
        ));
    }
    for one in &survey.unclear {
        let words = "could not be told apart at the margin; more --blocks may tell";
        lines.push(Line::new(
            "unclear",
            format!("{} {words}", ends(recorded, one)),
        ));
    }
    lines.push(Line::new("missed", missed(recorded, survey.unseen)));
    lines
}

fn change(recorded: &RecordedBisect, change: &ChangeFound) -> Vec<Line> {
    let places: Vec<StateIndex> = change.at.commits().collect();
    let commit = change.at.to.of(&recorded.bisect.commits);
    let mut lines = match (places.as_slice(), commit) {
        ([_], Some(commit)) => of_state(recorded, commit, &change.files),
        _ => among(recorded, &places),
    };
    lines.extend(change.effect.iter().flat_map(|one| effect(recorded, one)));
    lines.extend(change.code.as_ref().map(code));
    lines
}

/// The two commits that a stretch lies between.
fn ends(recorded: &RecordedBisect, stretch: &Stretch) -> String {
    let commits = &recorded.bisect.commits;
    let name = |place: StateIndex| place.of(commits).map_or("?", |one| short(&one.id));
    let after = stretch.after.map_or(short(&recorded.bisect.older.id), name);
    format!("{after} and {}", name(stretch.to))
}

fn missed(recorded: &RecordedBisect, unseen: u32) -> String {
    let (one, several) = nouns(recorded);
    let skipped = |step: &&BisectStep| matches!(step.outcome, StepOutcome::Skipped { .. });
    let skipped = recorded.steps.iter().filter(skipped).count();
    match (unseen, u32::try_from(skipped).unwrap_or(u32::MAX)) {
        (0, 0) => return format!("nothing: every {one} was looked at"),
        (0, skipped) => {
            return format!(
                "a change within {} that could not be judged, where the next one undid it; every \
                 other {one} was looked at",
                counted(skipped, one, several)
            );
        }
        _ => {}
    }
    format!(
        "at most a peak of {} in a row, between two that were not seen to differ; --peaks 0 looks \
         at every {one} that can be built",
        counted(unseen, one, several)
    )
}
