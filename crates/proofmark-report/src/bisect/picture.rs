//! A bisection as a picture: every commit that was looked at, held against the older end, and where
//! the level changes.

use std::collections::BTreeMap;

use proofmark_evidence::RecordedBisect;
use proofmark_evidence::record::{BisectAnswer, BisectConclusion, Neighbour, StepOf, StepOutcome};
use proofmark_picture::{Format, LevelLine, Mark, PictureError, Span, Theme, Timeline, timelines};
use proofmark_stats::Interval;
use proofmark_terms::StateIndex;

use super::answer::{metric, nouns, or_before, short};
use super::sides::range;
use crate::number::{counted, estimate_of};
use crate::text::{shortened, untied};
use crate::wording::metric_in_full;

/// Columns of a name below the axis.
const NAME: usize = 9;

/// ln of a state ÷ the older end, by place: the older end stands at 0, the first commit at 1.
type Values = BTreeMap<usize, Found>;

/// A state that was looked at, as ln of it ÷ the older end.
#[derive(Clone, Copy, Debug)]
struct Found {
    value: f64,
    /// The bounds of what was measured of it; none of the older end.
    bounds: Option<[f64; 2]>,
}

/// A bisection as a picture.
///
/// # Errors
/// When nothing was measured, or it cannot be drawn.
pub fn picture(
    recorded: &RecordedBisect,
    format: Format,
    theme: Theme,
) -> Result<Vec<u8>, PictureError> {
    let conclusion = recorded.conclusion.as_ref().ok_or(PictureError::Empty)?;
    let ends = conclusion.ends.as_ref().map(|ends| &ends.interval);
    if ends.is_none() && conclusion.survey.is_none() {
        return Err(PictureError::Empty);
    }
    let values = values(recorded, ends);
    let commits = &recorded.bisect.commits;
    let all = std::iter::once(&recorded.bisect.older).chain(commits);
    let marks = marks(recorded, conclusion);
    let span = |(at, found): (&usize, &Found)| {
        let [low, high] = found.bounds?.map(f64::exp);
        Some(Span { at: *at, low, high })
    };
    let timeline = Timeline {
        title: title(recorded),
        about: "each state that was measured, with its interval; × was tried and has no value; \
                lines are levels"
            .to_owned(),
        unit: "÷ older end".to_owned(),
        values: (0..=commits.len())
            .map(|at| values.get(&at).map(|found| found.value.exp()))
            .collect(),
        names: all.map(|one| named(&one.id)).collect(),
        spans: values.iter().filter_map(span).collect(),
        lacking: lacking(recorded, &values),
        levels: levels(&values, &marks, commits.len() + 1),
        marks,
    };
    timelines(&[timeline], format, theme)
}

fn title(recorded: &RecordedBisect) -> String {
    let commits = &recorded.bisect.commits;
    let (one, several) = nouns(recorded);
    let newest = commits.last().map_or("?", |one| short(&one.id));
    let range = u32::try_from(range(recorded)).unwrap_or(u32::MAX);
    untied(&format!(
        "{}: {} from {} to {newest}",
        metric(recorded).map(metric_in_full).unwrap_or_default(),
        counted(
            range + u32::from(!recorded.bisect.axis.is_commits()),
            one,
            several
        ),
        short(&recorded.bisect.older.id)
    ))
}

/// What a state is called below the axis.
fn named(id: &str) -> String {
    let short = short(id);
    if short.len() < id.len() {
        short.get(..NAME).unwrap_or(short).to_owned()
    } else {
        shortened(short, 2 * NAME)
    }
}

/// What each state came to, in the order of the steps: a state that was measured beside others is
/// held against what is known of those.
/// Ends that were not compared are one program.
fn values(recorded: &RecordedBisect, ends: Option<&Interval>) -> Values {
    let commits = &recorded.bisect.commits;
    let mut values = Values::new();
    let older = Found {
        value: 0.0,
        bounds: None,
    };
    values.insert(0, older);
    values.insert(
        commits.len(),
        ends.map_or(older, |ends| beside(older, ends)),
    );
    let place = |id: &str| {
        let all = std::iter::once(&recorded.bisect.older).chain(commits);
        all.map(|one| one.id.as_str()).position(|one| one == id)
    };
    for step in &recorded.steps {
        let StepOf::Commit(commit) = step.of else {
            continue;
        };
        let known = |id: &str| values.get(&place(id)?).copied();
        let by = |one: &Neighbour| Some(beside(known(&one.id)?, &one.interval));
        let found = match &step.outcome {
            StepOutcome::Measured { by_older, .. } => Some(beside(older, by_older)),
            StepOutcome::Beside { older, newer, .. } => by(older).or_else(|| by(newer)),
            StepOutcome::SameProgram { as_commit, .. } => known(as_commit),
            _ => None,
        };
        if let Some(found) = found {
            values.insert(commit.place() + 1, found);
        }
    }
    values
}

/// What was measured beside something that is known.
fn beside(known: Found, interval: &Interval) -> Found {
    Found {
        value: known.value + interval.estimate.ln(),
        bounds: Some([interval.low, interval.high].map(|bound| known.value + bound.ln())),
    }
}

/// Places that were tried and have no value.
fn lacking(recorded: &RecordedBisect, values: &Values) -> Vec<usize> {
    let steps = recorded.steps.iter();
    let tried = steps.filter_map(|step| match step.of {
        StepOf::Commit(commit) => Some(commit.place() + 1),
        StepOf::Ends => None,
    });
    tried.filter(|at| !values.contains_key(at)).collect()
}

/// Where the level changes.
fn marks(recorded: &RecordedBisect, conclusion: &BisectConclusion) -> Vec<Mark> {
    let commits = &recorded.bisect.commits;
    let mark = |place: StateIndex, interval: Option<&Interval>| {
        let name = place.of(commits).map_or("?", |one| short(&one.id));
        Mark {
            at: place.place() + 1,
            text: interval.map_or_else(
                || name.to_owned(),
                |interval| format!("{name} {}", estimate_of(interval)),
            ),
        }
    };
    match (&conclusion.answer, &conclusion.survey) {
        (BisectAnswer::Found { commit }, _) => {
            let effect = conclusion.effect.as_ref().map(|effect| &effect.interval);
            vec![mark(*commit, effect)]
        }
        (BisectAnswer::Among { commits }, _) => {
            let last = commits.last().map(|last| {
                let many = u32::try_from(commits.len()).unwrap_or(u32::MAX);
                let Mark { at, text } = mark(*last, None);
                let many = counted(many, "commit", "commits");
                Mark {
                    at,
                    text: untied(&format!("{text} or before it: one of {many}")),
                }
            });
            last.into_iter().collect()
        }
        (BisectAnswer::Changes, Some(survey)) => {
            let changes = survey.changes.iter();
            let one = changes.map(|change| {
                let effect = change.effect.as_ref().map(|effect| &effect.interval);
                let Mark { at, text } = mark(change.at.to, effect);
                Mark {
                    at,
                    text: untied(&format!("{text}{}", or_before(recorded, change))),
                }
            });
            one.collect()
        }
        _ => Vec::new(),
    }
}

/// The geometric mean of what lies between two changes.
fn levels(values: &Values, marks: &[Mark], places: usize) -> Vec<LevelLine> {
    let mut edges: Vec<usize> = marks.iter().map(|mark| mark.at).collect();
    edges.insert(0, 0);
    edges.push(places);
    edges.dedup();
    let level = |two: &[usize]| {
        let at = two[0]..two[1];
        let within: Vec<f64> = values
            .range(at.clone())
            .map(|(_, found)| found.value)
            .collect();
        let mean = within.iter().sum::<f64>() / within.len() as f64;
        (!within.is_empty()).then(|| LevelLine {
            at,
            value: mean.exp(),
        })
    };
    edges.windows(2).filter_map(level).collect()
}
