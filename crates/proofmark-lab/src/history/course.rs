//! The course of a series: what is known so far, and how what is measured gets into the store.

use std::collections::HashMap;

use proofmark_conclude::series::{Line, apart, is_same_line, lines};
use proofmark_evidence::record::{Design, EntryOf, Question, SeriesEntry, SeriesLine};
use proofmark_evidence::{RecordedSeries, SeriesId};
use proofmark_measure::read_machine;
use proofmark_terms::{Commit, CommitId};

use super::request::HistoryRequest;
use crate::bisect::{Revisions, Role};
use crate::builds::Subject;
use crate::clock::now_ms;
use crate::error::LabError;
use crate::experiment::{CountedRuns, Request};
use crate::laboratory::Laboratory;
use crate::observer::{Event, Observer};

/// A series under way, on the line of this machine.
pub(super) struct Course<'a, 'b, R: Revisions> {
    pub(super) laboratory: &'a mut Laboratory<'b>,
    pub(super) request: &'a HistoryRequest,
    pub(super) revisions: &'a mut R,
    pub(super) observer: &'a mut dyn Observer,
    pub(super) series: RecordedSeries,
    pub(super) line: SeriesLine,
    /// Builds that were wanted in this sitting, by commit.
    subjects: HashMap<CommitId, Subject>,
}

impl<'a, 'b, R: Revisions> Course<'a, 'b, R> {
    pub(super) fn new(
        laboratory: &'a mut Laboratory<'b>,
        request: &'a HistoryRequest,
        revisions: &'a mut R,
        observer: &'a mut dyn Observer,
        series: RecordedSeries,
    ) -> Self {
        let line = SeriesLine {
            machine: read_machine().lasting(),
            surroundings: request.surroundings.clone(),
            parts: request.parts.clone(),
        };
        tell_of_a_new_line(&series, &line, observer);
        Course {
            laboratory,
            request,
            revisions,
            observer,
            series,
            line,
            subjects: HashMap::new(),
        }
    }

    pub(super) fn id(&self) -> SeriesId {
        self.series.id.clone()
    }

    /// What is known of the line of this machine; `None` before its first point.
    pub(super) fn line(&self) -> Option<Line<'_>> {
        let mut all = lines(&self.series.entries).into_iter();
        all.find(|line| is_same_line(line.about, &self.line))
    }

    pub(super) fn commit(&self, place: u32) -> Result<Commit, LabError> {
        let commit = self.request.commits.get(place as usize).cloned();
        commit.ok_or_else(|| LabError::Fault(format!("the series has no commit {place}")))
    }

    /// The build of a commit; the inner error is the commit's own.
    pub(super) fn subject(
        &mut self,
        commit: &Commit,
        role: Role,
    ) -> Result<Result<Subject, R::Error>, R::Error> {
        if let Some(known) = self.subjects.get(&commit.id) {
            return Ok(Ok(known.clone()));
        }
        let made = self.revisions.build(commit, role)?;
        if let Ok(subject) = &made {
            self.subjects.insert(commit.id.clone(), subject.clone());
        }
        Ok(made)
    }

    /// Stores what came of a measurement.
    pub(super) fn came(&mut self, of: EntryOf, began_ms: u64) -> Result<(), LabError> {
        let index = u32::try_from(self.series.entries.len()).unwrap_or(u32::MAX);
        let entry = SeriesEntry {
            index,
            line: SeriesLine {
                parts: if self.line().is_none() {
                    self.line.parts.clone()
                } else {
                    Vec::new()
                },
                ..self.line.clone()
            },
            of,
            began_ms,
            took_ms: now_ms().saturating_sub(began_ms),
        };
        self.laboratory
            .store
            .series_entry(&self.series.id, &entry)?;
        self.observer.tell(&Event::SeriesEntry {
            series: &self.series.series.name,
            entry: &entry,
        });
        self.series.entries.push(entry);
        Ok(())
    }

    /// Whether nothing more is to be begun: the time that was given is over.
    ///
    /// # Errors
    /// When the user stops.
    pub(super) fn is_over(&self) -> Result<bool, LabError> {
        if self.laboratory.stop.requested() {
            return Err(LabError::Interrupted);
        }
        Ok(self.request.until_ms.is_some_and(|end| now_ms() >= end))
    }

    /// The experiment of two builds; the first one is the base.
    pub(super) fn request_of(&self, subjects: Vec<Subject>, design: Design) -> Request {
        let asked = &self.request.series;
        let entries = self.series.entries.len() as u64;
        Request {
            question: Question::Compare,
            subjects,
            benchmark: asked.benchmark.clone(),
            design,
            layouts: asked.layouts,
            population: asked.population,
            // Other draws in each experiment, and the same ones when all is repeated.
            seed: asked.seed.map(|seed| seed.wrapping_add(entries)),
            resume: true,
            counted: CountedRuns::InQuestion,
            expectations: None,
        }
    }
}

/// Says that what is measured from here on is compared with nothing before, and why.
fn tell_of_a_new_line(series: &RecordedSeries, line: &SeriesLine, observer: &mut dyn Observer) {
    let known = lines(&series.entries);
    if known.iter().any(|one| is_same_line(one.about, line)) {
        return;
    }
    if let Some(apart) = apart(line, known.iter().map(Line::begun)) {
        observer.tell(&Event::SeriesLine {
            series: &series.series.name,
            apart: &apart,
        });
    }
}
