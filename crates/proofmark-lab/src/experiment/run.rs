//! The whole of an experiment, from a request to a conclusion in the store.

use proofmark_conclude::matched_fall_short;
use proofmark_evidence::ExperimentId;
use proofmark_evidence::record::Experiment;

use super::begin::begin;
use super::conduct::conduct;
use super::ready::Ready;
use super::request::{LayoutChoice, Request};
use super::under_way::UnderWay;
use crate::budget::Budget;
use crate::clock::now_ms;
use crate::error::LabError;
use crate::laboratory::Laboratory;
use crate::observer::{Event, Observer};

/// Carries a request out, or goes on where it was interrupted.
///
/// # Errors
///
/// Whatever stops an experiment; finished blocks are in the store.
pub fn run(
    laboratory: &mut Laboratory<'_>,
    request: &Request,
    observer: &mut dyn Observer,
) -> Result<ExperimentId, LabError> {
    let began_ms = now_ms();
    let ready = Ready::of(request, laboratory)?;
    let budget = Budget::new(&request.design, began_ms, 0);
    let mut inputs = |experiment: &Experiment| ready.inputs(experiment, budget);
    let under_way = begin(request, laboratory.store, &mut inputs, observer)?;
    let under_way = UnderWay {
        began_ms,
        ..under_way
    };
    let id = under_way.id.clone();
    observer.tell(&Event::Preparing("layouts"));
    let mut bench = ready.bench(&under_way)?;
    conduct(under_way, &mut bench, laboratory.store, observer)?;
    Ok(id)
}

/// Carries a comparison out, and once more with each build laid out on its own where matched
/// layouts, chosen without being asked for, do not explain how the builds differ as shipped. Names
/// the experiment whose answer counts. A budget is one of each.
///
/// # Errors
///
/// As for [`run`].
pub fn compare(
    laboratory: &mut Laboratory<'_>,
    request: Request,
    observer: &mut dyn Observer,
) -> Result<ExperimentId, LabError> {
    match request.layouts {
        LayoutChoice::Auto => compare_until_told(laboratory, request, observer),
        _ => run(laboratory, &request, observer),
    }
}

/// The same, whoever chose the layouts.
pub(crate) fn compare_until_told(
    laboratory: &mut Laboratory<'_>,
    request: Request,
    observer: &mut dyn Observer,
) -> Result<ExperimentId, LabError> {
    let id = run(laboratory, &request, observer)?;
    let recorded = laboratory.store.load(id.as_str())?;
    if !matched_fall_short(&recorded) {
        return Ok(id);
    }
    observer.tell(&Event::OnTheirOwn {
        matched: id.short(),
    });
    let own = Request {
        layouts: LayoutChoice::OnTheirOwn,
        ..request
    };
    run(laboratory, &own, observer)
}
