//! The whole of a sweep, from a request to a conclusion in the store.

use std::path::Path;

use proofmark_evidence::record::{Inputs, Sweep, SweptAgainst, SweptFunction, SweptInside};
use proofmark_evidence::{RecordedSweep, SweepId};
use proofmark_layout::Placeable;
use proofmark_measure::{Interrupt, read_machine};

use super::addresses::{Addresses, addresses, window};
use super::choose::{Found, functions};
use super::conduct::{SweepUnderWay, conduct};
use super::images::Images;
use super::look::look;
use super::moving::Moving;
use super::request::SweepRequest;
use super::trap::is_run;
use crate::LabError;
use crate::alone::{AloneBench, Setting, inputs_hold, link_of};
use crate::experiment::{digest, this_machine};
use crate::laboratory::Laboratory;
use crate::observer::{Event, Observer};
use crate::spending::{Spending, unfinished};

/// Carries a sweep out, or goes on where it was interrupted.
///
/// # Errors
///
/// When the function cannot be moved, a run fails, or the user stops; finished blocks are in the
/// store.
pub fn run_sweep(
    laboratory: &mut Laboratory<'_>,
    request: &SweepRequest,
    observer: &mut dyn Observer,
) -> Result<SweepId, LabError> {
    let spending = Spending::begin(request.design.budget_ms);
    let range = window(&request.design, !request.against.is_empty())?;
    let setting = Setting::new(laboratory, &request.subject, &request.benchmark)?;

    observer.tell(&Event::Preparing("the function's images"));
    let (mut images, found, against) = images(request, range, &setting.work)?;
    let asked = addresses(&mut images, &request.design, (&found, &against))?;
    let sitting = Sitting {
        request,
        found: &found,
        against: &against,
        asked,
        spending,
    };
    let mut bench = setting.bench()?;
    let key = sitting.key()?;
    let taken_up = unfinished(request.resume, || laboratory.store.unfinished_sweep(&key))?;
    let taken_up = taken_up.filter(|recorded| sitting.goes_on(recorded, &images, observer));
    let under_way = match taken_up {
        Some(recorded) => sitting.again(recorded, observer),
        None => {
            let inputs = setting.inputs(spending.whole())?;
            observer.tell(&Event::Preparing("the program: a few runs"));
            let both = (&mut bench, &mut images);
            let sweep = sitting.begin(both, inputs, &setting.work, &setting.stop)?;
            SweepUnderWay {
                id: laboratory.store.begin_sweep(&key, &sweep)?,
                sweep,
                blocks: Vec::new(),
                budget: spending.whole(),
                concluded: 0,
            }
        }
    };
    let id = under_way.id.clone();
    let sweep = &under_way.sweep;
    bench.begin(sweep.design.seed, &sweep.inputs, sweep.pinned);
    let store = &mut *laboratory.store;
    conduct(under_way, &mut bench, &mut images, store, observer)?;
    Ok(id)
}

/// What the images are made from, the functions that move in them, and those that move against
/// these.
fn images(
    request: &SweepRequest,
    range: u64,
    work: &Path,
) -> Result<(Images, Vec<Found>, Vec<Found>), LabError> {
    let captured = link_of(&request.subject)?.for_layouts();
    let folder = work.join("set");
    let build = Placeable::observe(captured, &folder)?;
    let found = functions(build.image(), &request.functions)?;
    let against = functions(build.image(), &request.against)?;
    let parts = (build, captured);
    let moving = Moving::of(request, parts, (&found, &against), range, &folder)?;
    let images = Images::new(moving, work.join("images"))?;
    Ok((images, found, against))
}

/// One sitting of a sweep.
struct Sitting<'a> {
    request: &'a SweepRequest,
    found: &'a [Found],
    against: &'a [Found],
    asked: Addresses,
    spending: Spending,
}

impl Sitting<'_> {
    /// What makes two requests the same: all that was asked, and nothing that was drawn or found.
    fn key(&self) -> Result<String, LabError> {
        let mut design = self.request.design.clone();
        (design.seed, design.budget_ms) = (0, None);
        let asked = serde_json::json!({
            "sweep": self.request.subject.record(),
            "machine": this_machine(),
            "functions": self.request.functions,
            "against": self.request.against,
            "benchmark": self.request.benchmark,
            "design": design,
            "seed": self.request.seed.map(|seed| seed.to_string()),
        });
        digest(&asked)
    }

    /// Whether an unfinished sweep is of the same images and inputs.
    fn goes_on(
        &self,
        recorded: &RecordedSweep,
        images: &Images,
        observer: &mut dyn Observer,
    ) -> bool {
        let sweep = &recorded.sweep;
        let same = sweep.as_shipped == images.set().as_shipped().address
            && sweep.addresses == self.asked.measured
            && sweep.inside == inside(images.set())
            && sweep.against == against(images.set(), self.against)
            && sweep.functions == records(self.found);
        inputs_hold(&sweep.inputs, recorded.blocks.len(), observer) && same
    }

    fn again(&self, recorded: RecordedSweep, observer: &mut dyn Observer) -> SweepUnderWay {
        let took_ms = recorded.blocks.iter().map(|block| block.took_ms);
        let budget = self.spending.rest(took_ms, observer);
        SweepUnderWay {
            id: recorded.id,
            sweep: recorded.sweep,
            concluded: recorded.conclusion.map_or(0, |_| recorded.blocks.len()),
            blocks: recorded.blocks,
            budget,
        }
    }

    /// What is fixed before the first block.
    fn begin(
        &self,
        (bench, images): (&mut AloneBench, &mut Images),
        inputs: Inputs,
        work: &Path,
        stop: &Interrupt,
    ) -> Result<Sweep, LabError> {
        let request = self.request;
        let manner = look(bench, images, stop)?;
        let is_run = is_run(bench, images, work, stop)?;
        let mut design = request.design.clone();
        design.seed = request.seed.unwrap_or_else(rand::random);
        Ok(Sweep {
            build: request.subject.record(),
            functions: records(self.found),
            benchmark: request.benchmark.clone(),
            design,
            as_shipped: images.set().as_shipped().address,
            addresses: self.asked.measured.clone(),
            inside: inside(images.set()),
            against: against(images.set(), self.against),
            left_out: self.asked.left_out.clone(),
            is_run,
            inputs,
            group: manner.group,
            rounds: manner.rounds,
            pinned: manner.pinned,
            remarks: manner.remarks,
            machine: read_machine(),
            proofmark: env!("CARGO_PKG_VERSION").to_owned(),
            began_ms: self.spending.began_ms(),
        })
    }
}

fn records(found: &[Found]) -> Vec<SweptFunction> {
    found.iter().map(Found::record).collect()
}

/// The place within the function that moves.
fn inside(moving: &Moving) -> Option<SweptInside> {
    let Moving::Inside { set, number, of } = moving else {
        return None;
    };
    let point = set.point();
    Some(SweptInside {
        number: *number,
        of: *of,
        offset: point.offset,
        padding: point.padding,
        is_head: point.is_head,
        falls: point.falls,
    })
}

/// What moves against the functions.
fn against(moving: &Moving, found: &[Found]) -> Option<SweptAgainst> {
    Some(SweptAgainst {
        functions: records(found),
        as_shipped: moving.as_shipped().other?,
    })
}
