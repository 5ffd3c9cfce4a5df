//! What moves in the images of a sweep: starts of functions, or code within one.

use std::path::Path;

use proofmark_layout::{
    Captured, Inner, InsideSet, LayoutError, Placeable, PlacedImage, PlacedSet, Spot,
};

use super::choose::{Chosen, Found};
use super::request::SweepRequest;
use crate::LabError;

/// How many places a message names.
const NAMED: usize = 8;

/// What moves.
pub(super) enum Moving {
    /// Functions start elsewhere.
    Starts(Box<PlacedSet>),
    /// Code is elsewhere within its function; which of its places, and of how many.
    Inside {
        set: Box<InsideSet>,
        number: u32,
        of: u32,
    },
}

impl Moving {
    /// Makes ready what a request asks for, with windows of `range` bytes.
    pub(super) fn of(
        request: &SweepRequest,
        (build, captured): (Placeable, Captured<'_>),
        (found, against): (&[Found], &[Found]),
        range: u64,
        work: &Path,
    ) -> Result<Moving, LabError> {
        let chosen = |found: &[Found]| found.iter().map(|one| one.chosen.clone()).collect();
        let (first, others): (Vec<Chosen>, Vec<Chosen>) = (chosen(found), chosen(against));
        let Some(asked) = request.design.inside else {
            let set = build.place_against(&first, &others, range)?;
            return Ok(Moving::Starts(Box::new(set)));
        };
        let [one] = first.as_slice() else {
            return Err(LabError::Refused(format!(
                "--inside moves the code within one function, and {} are meant\n  next: name one \
                 with --function",
                first.len()
            )));
        };
        let inner = build.inner(one, captured)?;
        let point = point(&inner, &one.name, asked)?;
        let of = inner.points().len();
        let set = build.place(&first, InsideSet::window(&inner, range))?;
        let steps = (range, request.design.step);
        let set = InsideSet::new(set, inner, point, steps, work)?;
        let number = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        Ok(Moving::Inside {
            set: Box::new(set),
            number: number(point + 1),
            of: number(of),
        })
    }

    /// Where what moves is as shipped.
    pub(super) fn as_shipped(&self) -> Spot {
        match self {
            Moving::Starts(set) => set.as_shipped(),
            Moving::Inside { set, .. } => set.as_shipped().into(),
        }
    }

    /// What a benchmark has to come by as shipped for any of it to matter: starts of functions, or
    /// the code that moves.
    pub(super) fn reached(&self) -> Vec<u64> {
        match self {
            Moving::Starts(set) => set.starts(set.as_shipped()),
            Moving::Inside { set, .. } => vec![set.as_shipped()],
        }
    }

    pub(super) fn link(&self, spot: Spot, output: &Path) -> Result<PlacedImage, LayoutError> {
        match self {
            Moving::Starts(set) => set.link(spot, output),
            Moving::Inside { set, .. } => set.link(spot.address, output),
        }
    }

    pub(super) fn verify(&self, image: &PlacedImage) -> Result<(), LayoutError> {
        let images = std::slice::from_ref(image);
        match self {
            Moving::Starts(set) => set.verify(images),
            Moving::Inside { set, .. } => set.verify(images),
        }
    }

    pub(super) fn verify_content(&self, image: &PlacedImage) -> Result<(), LayoutError> {
        match self {
            Moving::Starts(set) => set.verify_content(image),
            Moving::Inside { set, .. } => set.verify_content(image),
        }
    }
}

/// The place that is asked for by its number, or else the first loop, or else the first place.
fn point(inner: &Inner, name: &str, asked: u32) -> Result<usize, LabError> {
    let points = inner.points();
    if points.is_empty() {
        return Err(LabError::Refused(format!(
            "{name} has no loop and no branch target in front of which padding could go\n  next: \
             leave --inside out, and its start moves"
        )));
    }
    match asked.checked_sub(1).map(|index| index as usize) {
        None => Ok(points.iter().position(|one| one.is_head).unwrap_or(0)),
        Some(index) if index < points.len() => Ok(index),
        Some(_) => {
            let told = points.iter().enumerate().take(NAMED).map(|(index, point)| {
                let what = if point.is_head { ", a loop" } else { "" };
                format!("{} at +{:#x}{what}", index + 1, point.offset)
            });
            let more = points.len().saturating_sub(NAMED);
            let more = if more > 0 {
                format!("; and {more} more")
            } else {
                String::new()
            };
            let places = if points.len() == 1 { "place" } else { "places" };
            Err(LabError::Refused(format!(
                "{name} has {} {places} for padding: {}{more}\n  next: one of these numbers, or \
                 --inside alone for the first loop",
                points.len(),
                told.collect::<Vec<_>>().join("; ")
            )))
        }
    }
}
