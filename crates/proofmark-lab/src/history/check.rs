//! One more commit: its point, and whether it lies off the level before it.

use proofmark_conclude::better;
use proofmark_conclude::series::{AlarmSeen, PairFound};
use proofmark_evidence::SeriesId;
use proofmark_evidence::record::PairReason;
use proofmark_stats::Interval;

use super::course::Course;
use super::request::HistoryRequest;
use super::run::recorded;
use super::stands::Which;
use crate::bisect::Revisions;
use crate::error::LabError;
use crate::laboratory::Laboratory;
use crate::observer::Observer;

/// What came of one more commit.
#[derive(Clone, Debug, PartialEq)]
pub struct Added {
    /// The series.
    pub series: SeriesId,
    /// Its place.
    pub place: u32,
    /// It has a value.
    pub is_point: bool,
    /// It was measured in this sitting.
    pub is_new: bool,
    /// The commit ÷ the level before it, where a comparison confirmed that it is another one: over
    /// layouts, or as shipped where placement is not varied.
    pub confirmed: Option<Interval>,
    /// It lies off the level before it, and why no more is known of that.
    pub open: Option<OpenAlarm>,
}

/// Why an alarm is neither confirmed nor found to be none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenAlarm {
    /// The commit could not be compared with the level before it.
    NotCompared,
    /// The comparison decided nothing.
    NotDecided,
}

/// Measures the last commit of a request beside its anchor, where that was not done before. With
/// `watch` it is held against the level before it: an alarm that nobody has looked at is confirmed,
/// or not, with fresh layouts.
///
/// # Errors
///
/// Whatever stops it; finished points are in the store.
pub fn add_to_history<R: Revisions>(
    laboratory: &mut Laboratory<'_>,
    request: &HistoryRequest,
    watch: bool,
    revisions: &mut R,
    observer: &mut dyn Observer,
) -> Result<Added, R::Error> {
    let series = recorded(laboratory, request)?;
    let before = series.entries.len();
    let mut course = Course::new(laboratory, request, revisions, observer, series);
    course.stands(Which::Last)?;
    let place = u32::try_from(request.commits.len().saturating_sub(1)).unwrap_or(u32::MAX);
    let last = course.newest_before(place);
    let near: Vec<u32> = last.into_iter().collect();
    let is_point = course.point(place, &near)?;
    let is_new = course.series.entries.len() > before;
    if watch && is_point {
        course.watch(place)?;
    }
    Ok(Added {
        series: course.id(),
        place,
        is_point,
        is_new,
        confirmed: course.confirmed(place),
        open: course.open(place).filter(|_| watch),
    })
}

impl<R: Revisions> Course<'_, '_, R> {
    /// The change of the level at a point, where a comparison confirmed one: behind an alarm, or
    /// when a whole range was looked at.
    fn confirmed(&self, place: u32) -> Option<Interval> {
        let asked = &self.request.series;
        let (margin, better) = (asked.design.margin, better(&asked.benchmark.metric));
        let change = self.line()?.confirmed_at(place, margin, better)?;
        match change.found {
            PairFound::Changed => change.ratio.drawn,
            _ => Some(change.ratio.shipped),
        }
    }

    /// The place of the newest point before this one.
    fn newest_before(&self, place: u32) -> Option<u32> {
        let line = self.line()?;
        let mut points = line.points.iter().rev();
        let before = points.find(|point| point.place < place);
        before.map(|point| point.place)
    }

    /// Why an alarm at a point is open, where there is one.
    fn open(&self, place: u32) -> Option<OpenAlarm> {
        self.alarm(place)?;
        let asked = &self.request.series;
        let (margin, better) = (asked.design.margin, better(&asked.benchmark.metric));
        Some(match self.line()?.alarm_at(place, margin, better) {
            Some(_) => OpenAlarm::NotDecided,
            None => OpenAlarm::NotCompared,
        })
    }

    /// An alarm at a point that nobody has compared, or that comparing did not decide.
    fn alarm(&self, place: u32) -> Option<AlarmSeen> {
        let asked = &self.request.series;
        let (margin, better) = (asked.design.margin, better(&asked.benchmark.metric));
        let line = self.line()?;
        let compared = line.alarm_at(place, margin, better);
        if compared.is_some_and(|alarm| alarm.found.is_decided()) {
            return None;
        }
        line.watched_at(place, margin, better)?.alarm
    }

    /// Confirms an alarm at a point, where there is one and it is not decided yet.
    fn watch(&mut self, place: u32) -> Result<(), R::Error> {
        let Some(alarm) = self.alarm(place) else {
            return Ok(());
        };
        if self.laboratory.stop.requested() {
            return Err(LabError::Interrupted.into());
        }
        let why = PairReason::Alarm { rises: alarm.rises };
        self.compare(alarm.older, alarm.newest, why)?;
        Ok(())
    }
}
