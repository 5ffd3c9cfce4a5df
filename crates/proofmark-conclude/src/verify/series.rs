//! A series computed again: each point, pair and alarm, from its experiment and what was there
//! before it.

use std::collections::HashMap;

use proofmark_evidence::record::{
    Axis, EntryOf, Experiment, PairOutcome, PairReason, PointOutcome, Question, Series,
    SeriesEntry, TwoWays,
};
use proofmark_evidence::{ChainSort, RecordedSeries, Store, StoreError};
use proofmark_terms::{Commit, CommitId, Margin};
use serde::Serialize;

use super::experiments::{Experiments, Stopped, Wanted, not};
use super::found::{AsRecorded, Finding, VerifiedChain};
use super::numbers::compared;
use crate::rule::better;
use crate::series::{is_same_line, lines, two_ways};

pub(super) fn verified(
    recorded: &RecordedSeries,
    store: &Store,
) -> Result<VerifiedChain, StoreError> {
    let mut as_recorded = AsRecorded::default();
    let said: Vec<EntrySaid> = recorded.entries.iter().map(said).collect();
    let finding = match again(recorded, store, &mut as_recorded) {
        Ok(found) => compared(&Entries { entries: said }, &Entries { entries: found }),
        Err(Stopped::Not(why)) => Finding::NotConcluded { why },
        Err(Stopped::Store(error)) => return Err(error),
    };
    Ok(VerifiedChain {
        as_recorded,
        ..VerifiedChain::of_experiments(
            recorded.id.as_str(),
            ChainSort::Series,
            format!("{} entries", recorded.entries.len()),
            finding,
        )
    })
}

#[derive(Serialize)]
struct Entries {
    entries: Vec<EntrySaid>,
}

/// What is computed again of an entry; nothing of one that has no experiment.
#[derive(Serialize, Default)]
struct EntrySaid {
    found: Option<TwoWays>,
    level: Option<f64>,
}

fn said(entry: &SeriesEntry) -> EntrySaid {
    match &entry.of {
        EntryOf::Point {
            outcome: PointOutcome::Measured { found, .. },
            ..
        } => EntrySaid {
            found: Some(*found),
            level: None,
        },
        EntryOf::Pair {
            outcome: PairOutcome::Compared { level, found, .. },
            ..
        } => EntrySaid {
            found: Some(*found),
            level: Some(*level),
        },
        _ => EntrySaid::default(),
    }
}

fn again(
    recorded: &RecordedSeries,
    store: &Store,
    as_recorded: &mut AsRecorded,
) -> Result<Vec<EntrySaid>, Stopped> {
    let mut all = Vec::new();
    let mut course = Course {
        recorded,
        experiments: Experiments::new(store, Axis::Commits, &recorded.series.benchmark, None),
        commits: HashMap::new(),
        as_recorded,
    };
    for (index, entry) in recorded.entries.iter().enumerate() {
        all.push(course.again(index, entry)?);
        if let EntryOf::Point { commit, .. } = &entry.of {
            course.commits.insert(&commit.id, commit);
        }
    }
    Ok(all)
}

/// The entries of a series, gone through once more.
struct Course<'a, 'b> {
    recorded: &'a RecordedSeries,
    experiments: Experiments<'a>,
    /// Those of the points before.
    commits: HashMap<&'a CommitId, &'a Commit>,
    as_recorded: &'b mut AsRecorded,
}

impl<'a> Course<'a, '_> {
    fn again(&mut self, index: usize, entry: &'a SeriesEntry) -> Result<EntrySaid, Stopped> {
        match &entry.of {
            EntryOf::Point {
                commit,
                place,
                outcome,
            } => {
                if !is_at(*place, commit, &self.recorded.series, self.before(index)) {
                    return not(format!(
                        "entry {index} does not stand where its parents say"
                    ));
                }
                let found = self.point(index, entry, commit, outcome)?;
                Ok(EntrySaid { found, level: None })
            }
            EntryOf::Pair {
                older,
                newer,
                why,
                outcome,
            } => {
                let two = [self.known(index, older)?, self.known(index, newer)?];
                self.pair(index, entry, two, *why, outcome)
            }
        }
    }

    fn before(&self, index: usize) -> &'a [SeriesEntry] {
        self.recorded.entries.get(..index).unwrap_or_default()
    }

    fn known(&self, index: usize, id: &CommitId) -> Result<&'a Commit, Stopped> {
        match self.commits.get(id) {
            Some(commit) => Ok(*commit),
            None => not(format!(
                "entry {index} names a commit that is no point before it"
            )),
        }
    }

    fn point(
        &mut self,
        index: usize,
        entry: &SeriesEntry,
        commit: &Commit,
        outcome: &PointOutcome,
    ) -> Result<Option<TwoWays>, Stopped> {
        match outcome {
            PointOutcome::Measured {
                anchor, experiment, ..
            } => {
                let two = [self.known(index, anchor)?, commit];
                let loaded = self.experiments.take(experiment, &wanted(&two))?;
                same_machine(index, entry, &loaded.experiment)?;
                return Ok(Some(two_ways(&loaded)?));
            }
            PointOutcome::SameProgram { as_commit } => {
                self.known(index, as_commit)?;
                self.as_recorded.same_programs += 1;
            }
            PointOutcome::Skipped { .. } => self.as_recorded.skipped += 1,
            PointOutcome::Anchor { .. } => {
                let own = |one: &SeriesEntry| is_same_line(&one.line, &entry.line);
                if self.before(index).iter().any(own) {
                    return not(format!(
                        "entry {index} is an anchor, and not the first of its line"
                    ));
                }
            }
        }
        Ok(None)
    }

    fn pair(
        &mut self,
        index: usize,
        entry: &SeriesEntry,
        two: [&Commit; 2],
        why: PairReason,
        outcome: &PairOutcome,
    ) -> Result<EntrySaid, Stopped> {
        let PairOutcome::Compared { experiment, .. } = outcome else {
            self.as_recorded.skipped += 1;
            return Ok(EntrySaid::default());
        };
        let loaded = self.experiments.take(experiment, &wanted(&two))?;
        same_machine(index, entry, &loaded.experiment)?;
        let design = &loaded.experiment.design;
        let before = self.before(index);
        if !is_reason(why, two, design.margin, self.recorded, before, entry) {
            return not(format!("there was no such alarm before entry {index}"));
        }
        Ok(EntrySaid {
            found: Some(two_ways(&loaded)?),
            // Half of it is for each way of measuring.
            level: Some(2.0 * (1.0 - design.confidence)),
        })
    }
}

/// Refuses an entry whose line is of another processor than its experiment.
fn same_machine(index: usize, entry: &SeriesEntry, experiment: &Experiment) -> Result<(), Stopped> {
    match experiment.machine.processor() == entry.line.machine.processor() {
        true => Ok(()),
        false => not(format!(
            "entry {index} is of another processor than its experiment"
        )),
    }
}

/// Whether a point stands where its commit does by first parents, as far as the origin and the
/// points before it tell. Several branches may have a commit at one place.
fn is_at(place: u32, commit: &Commit, series: &Series, before: &[SeriesEntry]) -> bool {
    let is_child = |child: &Commit, of: &Commit| child.parents.first() == Some(&of.id);
    let agrees = |other: &Commit, at: u32| {
        (commit.id != other.id || place == at)
            && (!is_child(commit, other) || place == at + 1)
            && (!is_child(other, commit) || place + 1 == at)
    };
    let mut points = before.iter().filter_map(|entry| match &entry.of {
        EntryOf::Point { commit, place, .. } => Some((commit, *place)),
        EntryOf::Pair { .. } => None,
    });
    let begins = place != 1 || is_child(commit, &series.origin);
    begins && agrees(&series.origin, 0) && points.all(|(other, at)| agrees(other, at))
}

/// Each sitting may have asked for another confidence, and another margin.
fn wanted<'w>(commits: &'w [&'w Commit]) -> Wanted<'w> {
    Wanted {
        question: Question::Compare,
        commits,
        confidence: None,
        as_shipped: false,
    }
}

/// Whether the values that were there before a pair give the alarm for which it was compared.
fn is_reason(
    why: PairReason,
    [older, newer]: [&Commit; 2],
    margin: Margin,
    recorded: &RecordedSeries,
    before: &[SeriesEntry],
    entry: &SeriesEntry,
) -> bool {
    let PairReason::Alarm { rises } = why else {
        return true;
    };
    let better = better(&recorded.series.benchmark.metric);
    let lines = lines(before);
    let line = lines
        .iter()
        .find(|line| is_same_line(line.about, &entry.line));
    line.is_some_and(|line| {
        let at = |place: u32| line.at(place).map(|point| &point.commit.id);
        let mut points = line.points.iter();
        let asked = points.find(|point| point.commit.id == newer.id);
        let watched = asked.and_then(|asked| line.watched_at(asked.place, margin, better));
        let alarm = watched.and_then(|seen| seen.alarm);
        alarm.is_some_and(|alarm| {
            alarm.rises == rises
                && at(alarm.older) == Some(&older.id)
                && at(alarm.newest) == Some(&newer.id)
        })
    })
}
