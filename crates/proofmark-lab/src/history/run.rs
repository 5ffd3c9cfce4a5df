//! The whole of a series' sitting, from a request to points in the store.

use proofmark_evidence::record::Series;
use proofmark_evidence::{PrivateParts, RecordedSeries, SeriesId};

use super::course::Course;
use super::request::HistoryRequest;
use super::stands::Which;
use crate::bisect::Revisions;
use crate::clock::now_ms;
use crate::error::LabError;
use crate::laboratory::Laboratory;
use crate::observer::Observer;

/// How a sitting ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// The series.
    pub series: SeriesId,
    /// Nothing that was asked for is left to be measured.
    pub complete: bool,
    /// Points and comparisons that were measured in this sitting.
    pub measured: usize,
}

/// Samples a range, refines it, and confirms the changes that it finds. What was measured before is
/// not measured again.
///
/// # Errors
///
/// Whatever stops it; finished points are in the store.
pub fn run_history<R: Revisions>(
    laboratory: &mut Laboratory<'_>,
    request: &HistoryRequest,
    revisions: &mut R,
    observer: &mut dyn Observer,
) -> Result<Ran, R::Error> {
    let series = recorded(laboratory, request)?;
    let before = series.entries.len();
    let mut course = Course::new(laboratory, request, revisions, observer, series);
    course.stands(Which::All)?;
    let complete = course.surveyed()?;
    Ok(Ran {
        series: course.id(),
        complete,
        measured: course.series.entries.len() - before,
    })
}

/// The same series from the store, or a new one in it.
pub(super) fn recorded(
    laboratory: &mut Laboratory<'_>,
    request: &HistoryRequest,
) -> Result<RecordedSeries, LabError> {
    if !request.fresh
        && let Some(recorded) = laboratory.store.series_of_key(&request.key)?
    {
        return Ok(recorded);
    }
    let origin = request.commits.first().cloned();
    let asked = &request.series;
    let series = Series {
        name: asked.name.clone(),
        build: asked.build.clone(),
        repeat: asked.repeat,
        benchmark: Box::new(asked.benchmark.clone()),
        design: Box::new(asked.design.clone()),
        origin: origin.ok_or_else(|| LabError::Fault("a series without commits".to_owned()))?,
        anchor_every: asked.anchor_every,
        proofmark: env!("CARGO_PKG_VERSION").to_owned(),
        began_ms: now_ms(),
    };
    let id = laboratory.store.begin_series(&request.key, &series)?;
    Ok(RecordedSeries {
        id,
        series,
        entries: Vec::new(),
        private: PrivateParts::Here,
    })
}
